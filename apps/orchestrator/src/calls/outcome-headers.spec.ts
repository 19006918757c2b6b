// SPDX-License-Identifier: Apache-2.0
import { STATES, type OperationView } from '@writ/contract';
import { outcomeOf, showOutcome } from './outcome-headers.ts';

const result = (code: string | null) =>
  ({ error: code === null ? null : { code, message: 'x', hint: null } }) as unknown as OperationView['result'];

test.each([
  ['committed', null, 'ok', null],
  ['no_op', null, 'ok', null],
  ['no_op', 'command.failed', 'failed', 'command.failed'],
  ['rolled_back', 'effect.out_of_scope', 'failed', 'effect.out_of_scope'],
  ['refused', 'policy.denied', 'refused', 'policy.denied'],
  ['ambiguous', 'effect.ambiguous', 'unknown', 'effect.ambiguous'],
] as const)('an ended operation `%s` with the fault %s is shown as %s', (state, code, outcome, fault) => {
  expect(outcomeOf({ state, result: result(code) })).toEqual({ outcome, fault });
});

test('an operation that has not ended has no fault, and only a held one waits for a person', () => {
  for (const state of STATES.filter((one) => ['proposed', 'admitted', 'dispatched', 'performing'].includes(one)))
    expect([state, outcomeOf({ state, result: null })]).toEqual([state, { outcome: 'running', fault: null }]);
  expect(outcomeOf({ state: 'held', result: null })).toEqual({ outcome: 'held', fault: null });
});

test('the header of a fault is absent without a fault', () => {
  const headers: string[][] = [];
  const exchange = { setHeader: (...header: string[]) => void headers.push(header) };
  showOutcome(exchange, { outcome: 'ok', fault: null });
  showOutcome(exchange, { outcome: 'refused', fault: 'policy.denied' });
  expect(headers).toEqual([
    ['writ-outcome', 'ok'],
    ['writ-outcome', 'refused'],
    ['writ-fault', 'policy.denied'],
  ]);
});
