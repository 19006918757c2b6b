// SPDX-License-Identifier: Apache-2.0
// The official client of OpenAI: `node main.mjs 'refund 500'`, and `node main.mjs --resume` after a held call.
import { governTools } from '@writ/client/openai';
import OpenAI from 'openai';
import { finish, isResumed, keep, kept, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

const governed = governTools(writ, tools, options);
const openai = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'local' });

const messages = isResumed ? await resumed() : [{ role: 'user', content: prompt }];
const runner = openai.chat.completions.runTools({ model: 'local', messages, tools: governed.tools });
try {
  finish(await runner.finalContent());
} catch (error) {
  const held = error.name === 'CallHeldError' ? error : error.cause;
  if (held?.name !== 'CallHeldError') throw error;
  keep({ messages: runner.messages, operation: held.operationId }, held.operationId);
}

async function resumed() {
  const { messages, operation } = kept();
  await governed.untilDecided(operation);
  return [...messages, ...(await governed.answer(messages))];
}
