// SPDX-License-Identifier: Apache-2.0
// The AI SDK of Vercel: `node main.mjs 'refund 500'`, and `node main.mjs --resume` after a held call.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { governTools } from '@writ/client/ai';
import { generateText, stepCountIs } from 'ai';
import { finish, isResumed, keep, kept, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

const governed = governTools(writ, tools, options);
const model = createOpenAICompatible({ name: 'local', baseURL: process.env.MODEL_URL })('local');

const messages = isResumed ? await resumed() : [{ role: 'user', content: prompt }];
const { text, content, response } = await generateText({
  model,
  messages,
  tools: governed.tools,
  toolApproval: governed.toolApproval,
  stopWhen: stepCountIs(5),
});
const held = content.filter(({ type, isAutomatic }) => type === 'tool-approval-request' && isAutomatic !== true);
if (held.length === 0) finish(text);
else {
  const approvals = held.map(({ approvalId, reason }) => ({ approvalId, operation: reason }));
  keep({ messages: [...messages, ...response.messages], approvals }, held[0].reason);
}

async function resumed() {
  const { messages, approvals } = kept();
  for (const { operation } of approvals) await governed.untilDecided(operation);
  // This approves nothing: it makes the SDK ask Writ again.
  const responses = approvals.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved: true }));
  return [...messages, { role: 'tool', content: responses }];
}
