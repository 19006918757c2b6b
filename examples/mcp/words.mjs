// SPDX-License-Identifier: Apache-2.0
// An MCP server of the revision 2025-11-25 in one file, without any package: the example of docs/how-to/mcp-programs.md.
// Take an SDK for a server of your own.
import { createInterface } from 'node:readline';

const COUNT_WORDS = {
  name: 'count_words',
  description: 'Counts the words of a text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  outputSchema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'words', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [COUNT_WORDS] }),
  'tools/call': ({ arguments: { text } }) => {
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return { content: [{ type: 'text', text: `${words} words` }], structuredContent: { words } };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  // Notifications have no id, and no answer.
  if (id === undefined) return;
  const answer = METHODS[method];
  const unknown = { error: { code: -32601, message: 'Method not found' } };
  const reply = answer === undefined ? unknown : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`);
});
