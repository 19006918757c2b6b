// SPDX-License-Identifier: Apache-2.0
// LangChain: `node main.mjs 'refund 500'`. A held call interrupts the graph, and Enter resumes it.
import { createInterface } from 'node:readline/promises';
import { Command, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { governTools } from '@writ/client/langchain';
import { createAgent, createMiddleware, tool } from 'langchain';
import { finish, prompt } from '../conversation.mjs';
import { options, tools, writ } from '../refunds.mjs';

const governed = governTools(writ, tools, options);
const agent = createAgent({
  model: new ChatOpenAI({ model: 'local', apiKey: 'local', configuration: { baseURL: process.env.MODEL_URL } }),
  tools: governed.definitions.map((definition) => tool(governed.body, definition)),
  middleware: [createMiddleware({ name: 'Writ', wrapToolCall: governed.wrapToolCall })],
  // Use a checkpointer that outlives the process, so that a held call does too.
  checkpointer: new MemorySaver(),
});

const thread = { configurable: { thread_id: 'one' } };
const lines = createInterface({ input: process.stdin });
let result = await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, thread);
while (result.__interrupt__ !== undefined) {
  const { operation_id } = result.__interrupt__[0].value;
  console.log(JSON.stringify({ held: operation_id }));
  await lines.question('');
  // This approves nothing: it makes the middleware ask Writ again.
  result = await agent.invoke(new Command({ resume: 'go on' }), thread);
}
lines.close();
finish(result.messages.at(-1).content);
