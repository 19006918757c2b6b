// SPDX-License-Identifier: Apache-2.0
import { redactableResult, redactionPointers, type McpTool } from '@writ/contract';
import { mcpDefinition } from '@writ/mcp-tool';
import { withoutRedacted } from './redact-staged.ts';
import type { RunContext, Staged } from './runner.ts';

const CANARY = 'canary-51a0-of-a-server';
const LOOK_UP: McpTool = {
  v: 1,
  kind: 'mcp',
  tool_id: 'mcp.crm.look_up',
  version: 1,
  description: 'Looks a customer up.',
  category: 'read',
  parameters: { type: 'object' },
  result: { type: 'object', properties: { email: { type: 'string' } } },
  timeout_ms: 5_000,
  server: 'crm',
  server_digest: '0'.repeat(64),
  remote_name: 'look_up',
  remote_digest: '0'.repeat(64),
};
const usage = { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 };
const staged = (rest: Partial<Staged>): Staged => ({
  ended: 'exited',
  exitCode: null,
  error: null,
  delta: null,
  blobs: [],
  result: null,
  usage,
  ...rest,
});
const work = { run: () => Promise.reject(new Error('this is short')) } as unknown as RunContext['work'];
const redact = redactionPointers(
  [{ rule: 'crm.private', pointers: ['/structured/email'] }],
  redactableResult(mcpDefinition(LOOK_UP)) ?? { copies: [] },
);

it('the parts of an answer of an MCP server, which repeat its structured part, go with any member of it', async () => {
  const result = {
    content: [{ type: 'text', text: JSON.stringify({ email: CANARY }) }],
    structured: { email: CANARY, plan: 'basic' },
    is_error: false,
    truncated: false,
  };
  expect(await withoutRedacted(staged({ result }), { redact }, work)).toMatchObject({
    result: { content: '[redacted]', structured: { email: '[redacted]', plan: 'basic' }, is_error: false },
  });
});

describe('a question of an MCP server', () => {
  const asking = mcpDefinition({ ...LOOK_UP, asks: ['elicitation'] });
  const form = { message: `Is it ${CANARY}?`, requestedSchema: { type: 'object', properties: { [CANARY]: {} } } };
  const asks = { requests: { a: { method: 'elicitation/create', params: form } }, state: CANARY };
  const result = { content: [], structured: null, is_error: false, asks, truncated: false };

  it.each([
    '/structured/email',
    '/content',
    '/structured/*/a',
    '/asks/state',
    '/asks/requests/*/params',
    '/*',
    '/other',
  ])('goes whole with a member that a rule redacts: %s', async (pointer) => {
    const pointers = redactionPointers([{ rule: 'r', pointers: [pointer] }], redactableResult(asking)!);
    const left = await withoutRedacted(staged({ result }), { redact: pointers }, work);
    expect(left.result).toMatchObject({ asks: '[redacted]' });
    expect(JSON.stringify(left)).not.toContain(CANARY);
  });

  it('stays where no rule redacts anything, and a tool whose server asks nothing has no such member', async () => {
    expect(redactionPointers([], redactableResult(asking)!)).toEqual([]);
    expect(await withoutRedacted(staged({ result }), {}, work)).toMatchObject({ result: { asks } });
    expect(redactableResult(mcpDefinition(LOOK_UP))).toMatchObject({ copies: ['/content'] });
  });
});

it('of a failure at an MCP server no words of the server are kept, and of other failures all', async () => {
  const failed = (code: string): Staged => staged({ ended: 'failed', error: { code, message: CANARY, hint: null } });
  expect(JSON.stringify(await withoutRedacted(failed('mcp.refused'), { redact }, work))).not.toContain(CANARY);
  expect(await withoutRedacted(failed('egress.failed'), { redact }, work)).toMatchObject({
    error: { message: CANARY },
  });
  expect(await withoutRedacted(failed('mcp.refused'), {}, work)).toMatchObject({ error: { message: CANARY } });
});
