// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';
import type { Outcome } from '@writ/dialects';
import type { CallResult } from './staged-changes.ts';
import { runWritten, type WrittenCall } from './written-call.ts';

const came = (state: OperationView['state'], outcome: Partial<Outcome> = {}): CallResult => ({
  outcome: { standing: 'completed', result: null, error: null, ...outcome },
  view: { state, operation_id: 'op' } as OperationView,
  resultToShow: null,
});
const failed = (code: string): CallResult =>
  came('rolled_back', { standing: 'failed', error: { code, message: 'no', hint: null } });
const OK = came('committed');

/** Runs the call, with the results of the calls that it stands for, by their parts. */
async function run(call: WrittenCall, results: Record<string, CallResult>, values: Record<string, unknown> = {}) {
  const proposed: unknown[] = [];
  let last = '';
  const result = await runWritten('tools-xml', call, {
    propose: async ({ tool_id, args }, part) => {
      proposed.push([part, tool_id, args]);
      last = part;
      return results[part] ?? OK;
    },
    resultOf: async () => ({ value: values[last] }),
  });
  return { result, proposed };
}
const edit: WrittenCall = {
  tool_id: 'fs.edit',
  args: { path: '$KARYI{DIR}/a', edits: [{ find: 'x', replace: '$KARYI{REGION} $$KARYI{REGION}' }] },
  variables: ['DIR', 'REGION'],
};
const asks = (key: string): object => ({
  key,
  reason: `fills \`$KARYI{${key}}\` in a call`,
  secret: false,
  ask: false,
});

it('a call without variables is proposed as it is', async () => {
  const call = { tool_id: 'fs.read', args: { path: 'a' } };
  expect(await run(call, {})).toEqual({ result: OK, proposed: [['', 'fs.read', { path: 'a' }]] });
});

it('variables are filled in by recorded calls, and the filled call is the one that is proposed', async () => {
  const filled = { path: 'src/a', edits: [{ find: 'x', replace: 'eu $KARYI{REGION}' }] };
  expect(await run(edit, {}, { 'value:DIR': 'src', 'value:REGION': 'eu' })).toEqual({
    result: { ...OK, appliedCall: { tool_id: 'fs.edit', args: filled } },
    proposed: [
      ['value:DIR', 'value.get', asks('DIR')],
      ['value:REGION', 'value.get', asks('REGION')],
      ['', 'fs.edit', filled],
    ],
  });
});

it('a variable that is a secret, or is not there, ends the call with its place and the remedy', async () => {
  const missing = came('refused', { standing: 'denied', error: { code: 'value.missing', message: 'no', hint: null } });
  const { result, proposed } = await run(edit, { 'value:REGION': missing }, { 'value:DIR': 'src' });
  expect(proposed).toHaveLength(2);
  expect(result.outcome).toMatchObject({
    standing: 'failed',
    error: {
      code: 'value.missing',
      message: expect.stringContaining('`$KARYI{REGION}` stands in `<replace>`') as unknown,
      hint: expect.stringContaining('secret="false"') as unknown,
    },
  });
});

it.each([
  ['is refused', failed('token.tool')],
  ['waits for a person', came('held', { standing: 'held' })],
  ['is under way', came('dispatched', { standing: 'executing' })],
  ['does not fit', { ...failed('args.too_large'), view: null }],
])('where the request for a value %s, that is the result, and nothing else is proposed', async (_what, first) => {
  const { result, proposed } = await run(edit, { 'value:DIR': first });
  expect([result, proposed.length]).toEqual([first, 1]);
});

it('a read of a directory is followed by a list of it, whose result it has', async () => {
  const listed = came('committed', { result: { entries: [] } });
  const call = { tool_id: 'fs.read', args: { path: 'src' } };
  expect(await run(call, { '': failed('file.kind'), list: listed })).toEqual({
    result: { ...listed, appliedCall: { tool_id: 'fs.list', args: { path: 'src' } } },
    proposed: [
      ['', 'fs.read', { path: 'src' }],
      ['list', 'fs.list', { path: 'src' }],
    ],
  });
});

it('a read that waits or fails otherwise is followed by nothing', async () => {
  const call = { tool_id: 'fs.read', args: { path: 'src' } };
  for (const first of [came('held', { standing: 'held' }), failed('file.not_found')])
    expect((await run(call, { '': first })).proposed).toHaveLength(1);
});
