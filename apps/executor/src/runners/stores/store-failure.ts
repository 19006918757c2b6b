// SPDX-License-Identifier: Apache-2.0
import type { BoundResource, FaultCode } from '@writ/contract';
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
    // What the gate refused is told as the gate says it.
    if (error.cause instanceof GateRefusal) return refusalOf(error.cause);
    return {
      code: OF_MODELS[error.reason],
      message: error.message,
      hint: error.reason === 'missing' ? WITHOUT_MODEL : null,
    };
  }
  if (!(error instanceof ChromaError)) return null;
  if (error.cause instanceof GateRefusal) return refusalOf(error.cause);
  const code = error.reason === 'too_large' ? 'limit.exceeded' : 'egress.failed';
  return { code, message: error.message, hint: null };
}

const refusalOf = ({ code, message, hint }: GateRefusal): StoreFailure => ({ code, message, hint });
