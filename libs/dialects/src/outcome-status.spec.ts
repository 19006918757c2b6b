// SPDX-License-Identifier: Apache-2.0
import type { OperationView, State, ToolResult } from '@writ/contract';
import { OUTCOME_STATUSES, outcomeStatusOf } from './outcome-status.ts';
import { outcomeOf } from './outcome.ts';

const result = (status: 'ok' | 'error', code?: string): ToolResult =>
  ({
    status,
    result: { output: 'x' },
    error: code === undefined ? null : { code, message: 'm', hint: null },
  }) as ToolResult;
const view = (state: State, of: ToolResult | null): OperationView =>
  ({
    operation_id: 'op_1',
    state,
    result: of,
    reasons: [{ code: 'risk', message: 'asks a person' }],
  }) as unknown as OperationView;

it.each<[State, ToolResult | null, string, string, boolean]>([
  ['committed', result('ok'), 'Completed', 'ok', false],
  ['no_op', result('ok'), 'Completed', 'ok', false],
  ['no_op', result('error', 'file.not_found'), 'Failed', 'error', true],
  ['committed', result('error', 'command.failed'), 'Failed', 'error', true],
  ['rolled_back', result('error', 'command.failed'), 'Failed', 'error', true],
  ['ambiguous', result('error', 'effect.ambiguous'), 'Failed', 'error', true],
  ['refused', result('error', 'token.tool'), 'Denied', 'denied', true],
  ['refused', result('error', 'approval.denied'), 'Denied', 'denied', true],
  ['refused', result('error', 'deadline'), 'Failed', 'timeout', true],
  ['rolled_back', result('error', 'command.timeout'), 'Failed', 'timeout', true],
  ['rolled_back', result('error', 'cancelled'), 'Cancelled', 'error', true],
  ['refused', result('error', 'cancelled'), 'Cancelled', 'error', true],
  ['held', null, 'AwaitingApproval', 'awaiting_approval', false],
  ['performing', null, 'Executing', 'executing', false],
])('%s is told as it ends', (state, of, block, word, is_error) => {
  expect(OUTCOME_STATUSES[outcomeStatusOf(view(state, of))]).toEqual({ block, word, is_error });
});

it('has the reason for a waiting call, and keeps the result beside an error', () => {
  expect(outcomeOf(view('held', null))).toEqual({
    standing: 'held',
    result: null,
    error: { code: 'risk', message: 'asks a person', hint: null },
    operation_id: 'op_1',
  });
  expect(outcomeOf(view('rolled_back', result('error', 'command.failed')))).toMatchObject({
    standing: 'failed',
    result: { output: 'x' },
    error: { code: 'command.failed' },
  });
});
