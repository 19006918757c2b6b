// SPDX-License-Identifier: Apache-2.0
import { outcomeOfTurn } from './turn-outcome.ts';
import type { TurnView } from './turn-schemas.ts';

const call = (standing: string, code: string | null = null, state = 'committed') =>
  ({ standing, state, error: code === null ? null : { code, message: 'x', hint: null } }) as TurnView['calls'][number];

test.each([
  ['ended', [], 'ok', null],
  ['ended', [call('completed')], 'ok', null],
  ['ended', [call('completed'), call('denied', 'policy.denied')], 'refused', 'policy.denied'],
  ['ended', [call('failed', 'command.failed'), call('denied', 'policy.denied')], 'failed', 'command.failed'],
  ['ended', [call('timeout', 'command.timeout')], 'failed', 'command.timeout'],
  ['ended', [call('failed', 'effect.ambiguous', 'ambiguous')], 'unknown', 'effect.ambiguous'],
  ['held', [call('held')], 'held', null],
  ['under_way', [call('executing')], 'running', null],
] as const)('a turn that is %s with the calls %j is shown by its first call that is not done', (...row) => {
  const [state, calls, outcome, fault] = row;
  expect(outcomeOfTurn({ state, calls: [...calls] })).toEqual({ outcome, fault });
});
