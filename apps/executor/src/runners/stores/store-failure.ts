// SPDX-License-Identifier: Apache-2.0
import { Fault, type BoundResource, type FaultCode } from '@writ/contract';
import { EmbeddingError, type EmbeddingReason } from '@writ/embedding';
import { InfoStoreError, type InfoStoreReason } from '@writ/info-store';
import { ChromaError } from '@writ/info-store-chroma';
import { GateRefusal } from '../../egress/gate-refusal.ts';

/** Why a call on a store failed, in words for its caller. */
export interface StoreFailure {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

const OF_STORES: Readonly<Record<InfoStoreReason, FaultCode | null>> = {
  invalid: 'args.invalid',
  model_differs: 'store.mismatch',
  store_differs: 'store.mismatch',
  // The kernel makes the tables of a store before it redeems a call: it was removed since.
  store_unknown: 'store.mismatch',
  // Only the kernel publishes.
  change_unknown: null,
  change_differs: null,
};

const OF_MODELS: Readonly<Record<EmbeddingReason, FaultCode>> = {
  unavailable: 'store.unavailable',
  missing: 'store.unavailable',
  refused: 'egress.failed',
  malformed: 'egress.failed',
  too_many: 'limit.exceeded',
};

const WITHOUT_MODEL = 'search by words (`mode`: `text`), or use a store that is registered with `embedding`: `none`';

/**
 * The failure that an error of a store, its model or its server is; null for any other error. `resources`: those of the
 * call, whose names the message has in the place of their ids.
 */
export function storeFailureOf(
  error: unknown,
  resources: readonly Pick<BoundResource, 'resource_id' | 'name'>[] = [],
): StoreFailure | null {
  if (error instanceof InfoStoreError) {
    const code = OF_STORES[error.reason];
    const at = error.pointer === '' ? '' : `\`${error.pointer}\`: `;
    const message = resources.reduce(
      (text, { resource_id, name }) => text.replaceAll(resource_id, name),
      error.message,
    );
    return code === null ? null : { code, message: `${at}${message}`, hint: null };
  }
  if (error instanceof EmbeddingError) {
    return (
      failureOfCause(error.cause) ?? {
        code: OF_MODELS[error.reason],
        message: error.message,
        hint: error.reason === 'missing' ? WITHOUT_MODEL : null,
      }
    );
  }
  if (!(error instanceof ChromaError)) return null;
  const code = error.reason === 'too_large' ? 'limit.exceeded' : 'egress.failed';
  return failureOfCause(error.cause) ?? { code, message: error.message, hint: null };
}

/** What the gate refused, or what the call lacks: a client of a server reports either as "not reached". */
function failureOfCause(cause: unknown): StoreFailure | null {
  if (cause instanceof GateRefusal) return { code: cause.code, message: cause.message, hint: cause.hint };
  if (cause instanceof Fault) return { code: cause.code, message: cause.message, hint: null };
  return null;
}
