// SPDX-License-Identifier: Apache-2.0
// The Claude Agent SDK: `node main.mjs 'refund 500'`, and `node main.mjs --resume` after a held call.
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { governTools } from '@writ/client/claude-agent';
import { z } from 'zod';
import { finish, isResumed, keep, kept, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

const governed = governTools(writ, tools, options);
const shapes = { refund: { cents: z.number() }, close_account: { customer: z.string() } };
const server = createSdkMcpServer({
  name: 'writ',
  tools: Object.entries(tools).map(([name, { description }]) =>
    tool(name, description, shapes[name], governed.handlerOf(name)),
  ),
});

const settings = {
  model: 'local',
  mcpServers: { writ: server },
  hooks: governed.hooks,
  // No tool of the SDK itself, and no settings of this machine, which may have hooks and permissions of their own.
  tools: [],
  settingSources: [],
};

let end;
const ended = new Promise((resolve) => (end = resolve));
/** The prompt, and then nothing until the end: the hook and the functions answer for as long as the prompt is open. */
async function* messages() {
  // A session that is resumed goes on with its call. It has to be given a prompt, which may be empty.
  yield { type: 'user', message: { role: 'user', content: isResumed ? '' : prompt }, parent_tool_use_id: null };
  await ended;
}

if (isResumed) {
  const { session, operation } = kept();
  await governed.untilDecided(operation);
  settings.resume = session;
}
for await (const message of query({ prompt: messages(), options: settings })) {
  if (message.type !== 'result') continue;
  const { deferred_tool_use: deferred, session_id: session, result } = message;
  const operation = deferred === undefined ? null : await governed.operationOf(deferred);
  // A session that is resumed begins with the call that it was left with.
  if (deferred !== undefined && operation === null) continue;
  if (operation !== null) keep({ session, operation }, operation);
  else finish(result);
  end();
}
