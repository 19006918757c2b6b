// SPDX-License-Identifier: Apache-2.0
import type { OperationId, OperationView } from '@writ/contract';
import { outcomeStatusOf, type OutcomeStatus } from './outcome-status.ts';

/** The outcome of a call for a model. */
export interface Outcome {
  readonly standing: OutcomeStatus;
  /** the canonical tool's result, null without one; also with an error, such as a failed command's output */
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string | null } | null;
  /** about a staged change, and other members that a dialect has beside the result */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly operation_id?: OperationId;
}

/** The outcome of an operation for a model. While it waits, its first reason takes the place of an error. */
export function outcomeOf(view: OperationView): Outcome {
  const { result, reasons, operation_id } = view;
  const why = reasons[0];
  const error =
    result?.error ??
    (view.state === 'held' && why !== undefined ? { code: why.code, message: why.message, hint: null } : null);
  return { standing: outcomeStatusOf(view), result: result?.result ?? null, error, operation_id };
}
