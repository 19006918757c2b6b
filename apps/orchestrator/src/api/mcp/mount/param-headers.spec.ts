// SPDX-License-Identifier: Apache-2.0
import type { McpRemoteTool } from '@writ/contract';
import { headerMismatch } from './param-headers.ts';

const tool: McpRemoteTool = {
  name: 'query',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      at: { type: 'object', properties: { shard: { type: 'integer', 'x-mcp-header': 'Shard' } } },
      live: { type: 'boolean', 'x-mcp-header': 'Live' },
      many: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } },
      odd: { type: 'string', 'x-mcp-header': 'no token' },
    },
  },
};
const mismatch = (args: Record<string, unknown>, headers: Record<string, string> = {}): string | null =>
  headerMismatch(tool, args, (name) => headers[name]);
const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

it('an argument with a header must have it, with the same value', () => {
  expect(mismatch({ region: 'eu' })).toContain('`Mcp-Param-Region` is missing');
  expect(mismatch({ region: 'eu' }, { 'mcp-param-region': 'us' })).toContain('another value');
  expect(mismatch({ region: 'eu' }, { 'mcp-param-region': 'eu' })).toBeNull();
  expect(mismatch({ at: { shard: 7 } }, { 'mcp-param-shard': '7.0' })).toBeNull();
  expect(mismatch({ at: { shard: 7 } }, { 'mcp-param-shard': '8' })).toContain('`Mcp-Param-Shard`');
  expect(mismatch({ live: false }, { 'mcp-param-live': 'false' })).toBeNull();
});

it('an argument that is not there needs no header, nor does one that can have none', () => {
  expect(mismatch({})).toBeNull();
  expect(mismatch({ region: null, many: ['a'], odd: 'x', at: 'x' })).toBeNull();
});

it('a header repeats no argument that is not there, or that no header can have', () => {
  for (const args of [{}, { region: null }, { region: ['eu'] }, { region: { eu: 'eu' } }])
    expect(mismatch(args, { 'mcp-param-region': 'eu' })).toContain('`Mcp-Param-Region` repeats an argument');
  expect(mismatch({ at: 'x' }, { 'mcp-param-shard': '7' })).toContain('`Mcp-Param-Shard` repeats');
  expect(mismatch({ region: '' }, { 'mcp-param-live': '' })).not.toBeNull();
  // The server declares no such header, so it says nothing about the call.
  expect(mismatch({}, { 'mcp-param-item': 'a', 'mcp-param-other': 'b' })).toBeNull();
});

it('a value may be encoded, and one that only looks so is taken as it is', () => {
  expect(mismatch({ region: 'größe' }, { 'mcp-param-region': encoded('größe') })).toBeNull();
  expect(mismatch({ region: '=?base64?x' }, { 'mcp-param-region': '=?base64?x' })).toBeNull();
  for (const wrong of ['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?='])
    expect(mismatch({ region: 'Hello' }, { 'mcp-param-region': wrong })).toContain('not encoded');
});
