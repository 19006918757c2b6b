// SPDX-License-Identifier: Apache-2.0
// Texts that a call or a tenant chooses, as a client shows them.
import { Fault, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { faultResult, heldInWords, resultOf } from './call-result.ts';
import { McpResources } from './mcp-resources.ts';
import { protocolErrorOf } from './protocol-error.ts';

const HOSTILE = 'x\u001b[2Jy\u202ez';
const SHOWN = 'x\ufffd[2Jy\ufffdz';
const HIDDEN = /[\u001b\u202e]/;
const viewWith = (over: object): OperationView =>
  ({
    operation_id: newId('operation'),
    state: 'refused',
    tool_id: HOSTILE,
    approval_id: null,
    result: null,
    reasons: [{ code: 'tool.unknown', message: HOSTILE }],
    ...over,
  }) as unknown as OperationView;

it('the error of a result is without hidden characters: its message, its hint and the reason of a refusal', () => {
  const error = { code: 'x.failed', message: HOSTILE, hint: HOSTILE };
  for (const view of [
    viewWith({}),
    viewWith({ state: 'rolled_back', result: { error, result: null, result_ref: null } }),
  ]) {
    const { content, structuredContent } = resultOf(view);
    expect(structuredContent).toMatchObject({ error: { message: SHOWN } });
    expect((content[0] as { text: string }).text).toContain(SHOWN);
    expect((content[0] as { text: string }).text).not.toMatch(HIDDEN);
    expect(JSON.stringify(structuredContent)).not.toContain('\\u001b');
  }
});

it('a fault is without hidden characters, as a result and as an error of the protocol', () => {
  const fault = new Fault('request.malformed', HOSTILE);
  expect(faultResult(fault, newId('operation')).structuredContent).toMatchObject({ error: { message: SHOWN } });
  expect(protocolErrorOf(fault).message).toBe(SHOWN);
});

it('a held call and a listed one name their tool without hidden characters', async () => {
  expect(heldInWords(viewWith({ state: 'held' }))).not.toMatch(HIDDEN);
  const kernel = { ask: () => Promise.resolve({ items: [viewWith({})], next_cursor: null }) };
  const resources = new McpResources(kernel as never, {} as never, {} as never, {} as never);
  const { resources: listed } = await resources.list({ caller: {}, agentId: 'agt' } as never, undefined);
  expect(listed.map(({ name }) => name)).toEqual([`${SHOWN} (refused)`]);
});

it('a redacted result is not shown as one that fits the schema of its tool, and its text has it', () => {
  const result = { error: null, result: { customer: { email: '[redacted]' } }, result_ref: null };
  const redactions = [{ rule: 'hidden', pointers: ['/customer/email'] }];
  const { content, structuredContent } = resultOf(viewWith({ state: 'committed', result, redactions }));
  expect(structuredContent).toMatchObject({ result: null, redacted_result: result.result });
  expect(content).toMatchObject([{ text: JSON.stringify(result.result) }]);
  const { structuredContent: plain } = resultOf(viewWith({ state: 'committed', result }));
  expect(plain).toMatchObject({ result: result.result });
  expect(plain).not.toHaveProperty('redacted_result');
});
