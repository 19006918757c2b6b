// SPDX-License-Identifier: Apache-2.0
import type { ShownOutcome } from '../../calls/outcome-headers.ts';
import type { TurnView } from './turn-schemas.ts';

/** The outcome of a turn: that of its first call that isn't done. */
export function outcomeOfTurn({ state, calls }: Pick<TurnView, 'state' | 'calls'>): ShownOutcome {
  if (state === 'held') return { outcome: 'held', fault: null };
  if (state === 'under_way') return { outcome: 'running', fault: null };
  const wrong = calls.find(({ standing }) => standing !== 'completed');
  if (wrong === undefined) return { outcome: 'ok', fault: null };
  const fault = wrong.error?.code ?? null;
  if (wrong.state === 'ambiguous') return { outcome: 'unknown', fault };
  return { outcome: wrong.standing === 'denied' ? 'refused' : 'failed', fault };
}
