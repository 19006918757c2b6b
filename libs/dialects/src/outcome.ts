// SPDX-License-Identifier: Apache-2.0
import type { OperationId, OperationView } from '@writ/contract';
import { outcomeStatusOf, type OutcomeStatus } from './outcome-status.ts';

/** What became of a call, as far as a model is told. */
export interface Outcome {
  readonly standing: OutcomeStatus;
  /** the canonical tool's result, null where there is none; with an error too, such as a failed command's output */
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string | null } | null;
  /** of a staged change, and of what else a dialect tells beside the result */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly operation_id?: OperationId;
}

/** What a model is told of an operation. What its reasons say stands in for an error where it waits. */
export function outcomeOf(view: OperationView): Outcome {
  const { result, reasons, operation_id } = view;
  const why = reasons[0];
  const error =
    result?.error ??
    (view.state === 'held' && why !== undefined ? { code: why.code, message: why.message, hint: null } : null);
  return { standing: outcomeStatusOf(view), result: result?.result ?? null, error, operation_id };
}
