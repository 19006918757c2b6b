// SPDX-License-Identifier: Apache-2.0
import { isFinal, type OperationView } from '@writ/contract';
import type { CallOutcome } from '../edge/requests/call-outcomes.ts';
import type { Exchange } from '../edge/requests/exchange.ts';

/** What the answer's headers say of a call, so that nobody must read the body to see that a call was refused. */
export interface ShownOutcome {
  readonly outcome: CallOutcome;
  readonly fault: string | null;
}

/** The outcome of an operation. */
export function outcomeOf({ state, result }: Pick<OperationView, 'state' | 'result'>): ShownOutcome {
  const fault = result?.error?.code ?? null;
  if (state === 'held') return { outcome: 'held', fault: null };
  if (state === 'ambiguous') return { outcome: 'unknown', fault: fault ?? 'effect.ambiguous' };
  if (!isFinal(state)) return { outcome: 'running', fault: null };
  if (state === 'refused') return { outcome: 'refused', fault };
  return { outcome: fault === null ? 'ok' : 'failed', fault };
}

/** Sets `Writ-Outcome`, and `Writ-Fault` where there is a fault. */
export function showOutcome(exchange: Pick<Exchange, 'setHeader'>, { outcome, fault }: ShownOutcome): void {
  exchange.setHeader('writ-outcome', outcome);
  if (fault !== null) exchange.setHeader('writ-fault', fault);
}
