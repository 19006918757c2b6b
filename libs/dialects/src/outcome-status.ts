// SPDX-License-Identifier: Apache-2.0
import type { OperationView } from '@writ/contract';

/**
 * The status of a call in each dialect: that of `blocks`, the short word of the others, and whether it counts as an
 * error.
 */
export const OUTCOME_STATUSES = {
  completed: { block: 'Completed', word: 'ok', is_error: false },
  failed: { block: 'Failed', word: 'error', is_error: true },
  denied: { block: 'Denied', word: 'denied', is_error: true },
  timeout: { block: 'Failed', word: 'timeout', is_error: true },
  cancelled: { block: 'Cancelled', word: 'error', is_error: true },
  held: { block: 'AwaitingApproval', word: 'awaiting_approval', is_error: false },
  queued: { block: 'Queued', word: 'queued', is_error: false },
  executing: { block: 'Executing', word: 'executing', is_error: false },
} as const satisfies Record<string, { block: string; word: string; is_error: boolean }>;
export type OutcomeStatus = keyof typeof OUTCOME_STATUSES;

const TIMEOUTS: ReadonlySet<string> = new Set(['deadline', 'command.timeout']);
const CANCELLED: ReadonlySet<string> = new Set(['cancelled', 'sandbox.killed']);

/** The status of an operation. A call that ended with an error failed, whatever the outcome of its transaction. */
export function outcomeStatusOf({ state, result }: Pick<OperationView, 'state' | 'result'>): OutcomeStatus {
  if (state === 'held') return 'held';
  const code = result?.error?.code ?? '';
  if (TIMEOUTS.has(code)) return 'timeout';
  if (CANCELLED.has(code)) return 'cancelled';
  if (state === 'refused') return 'denied';
  if (state === 'rolled_back' || state === 'ambiguous') return 'failed';
  if (state === 'committed' || state === 'no_op') return result?.status === 'error' ? 'failed' : 'completed';
  return 'executing';
}
