// SPDX-License-Identifier: Apache-2.0
import { madeResourceId, storeNameOf, storeSettingsOf } from '@writ/contract';
import type { FileToolOutcome } from '@writ/workspace';
import type { Call } from '../../calls/runner.ts';

/**
 * Answers a call of `store.register`. The executor stores nothing: the kernel registers the store when it commits the
 * call, from the arguments that it decided on.
 *
 * @param hasModel whether this executor can compute the vectors of such a store
 */
export function registerStore(
  { operationId, args }: Pick<Call, 'operationId' | 'args'>,
  hasModel: boolean,
): FileToolOutcome<unknown> {
  if (storeSettingsOf(args).embedding !== undefined && !hasModel)
    return {
      ok: false,
      code: 'store.unavailable',
      message: 'the model of embeddings is not installed where the call ran, so the store could not be filled',
      hint: 'register it with `embedding`: `none` to find words alone; an operator runs `npm run embedding-model`',
    };
  return {
    ok: true,
    delta: null,
    blobs: [],
    result: { store: { resource_id: madeResourceId(operationId), name: storeNameOf(args, operationId) } },
  };
}
