// SPDX-License-Identifier: Apache-2.0
// The official client of Anthropic: `node main.mjs 'refund 500'`, and `node main.mjs --resume` after a held call.
import Anthropic from '@anthropic-ai/sdk';
import { governTools } from '@writ/client/anthropic';
import { finish, isResumed, keep, kept, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

const governed = governTools(writ, tools, options);
const anthropic = new Anthropic({ baseURL: process.env.MODEL_URL, apiKey: 'local' });

const messages = isResumed ? await resumed() : [{ role: 'user', content: prompt }];
const runner = anthropic.beta.messages.toolRunner({ model: 'local', max_tokens: 100, messages, tools: governed.tools });
let last;
let held;
for await (const message of runner) {
  last = message;
  [held] = await governed.heldIn(message);
  if (held !== undefined) break;
}
if (held === undefined) finish(last.content.map(({ text }) => text).join(''));
else keep({ messages: [...messages, { role: 'assistant', content: last.content }], ...held }, held.operationId);

async function resumed() {
  const { messages, operationId } = kept();
  await governed.untilDecided(operationId);
  return [...messages, await governed.answer(messages.at(-1))];
}
