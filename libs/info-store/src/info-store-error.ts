// SPDX-License-Identifier: Apache-2.0

/**
 * Why an information store refused a request:
 * - `invalid`: the request breaks a rule of its form; `pointer` says where
 * - `store_unknown`: the tenant has no such store
 * - `store_differs`: a store of that id exists with another definition
 * - `model_differs`: the vectors are of another model, or have other dimensions, than the store's
 * - `change_unknown`: there is no such staged change: it was discarded, swept, never sealed, or is another tenant's
 * - `change_differs`: the staged change belongs to another operation, or has another digest
 */
export type InfoStoreReason =
  'invalid' | 'store_unknown' | 'store_differs' | 'model_differs' | 'change_unknown' | 'change_differs';

/** A refused request to an information store. Its message may be shown to the caller. */
export class InfoStoreError extends Error {
  readonly reason: InfoStoreReason;
  /** the place in the request, a JSON pointer; empty for the whole */
  readonly pointer: string;

  constructor(reason: InfoStoreReason, message: string, options: { pointer?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'InfoStoreError';
    this.reason = reason;
    this.pointer = options.pointer ?? '';
  }
}

/** A request of the wrong form, at the given place. */
export function invalid(pointer: string, message: string): InfoStoreError {
  return new InfoStoreError('invalid', message, { pointer });
}

export const storeUnknown = (storeId: string): InfoStoreError =>
  new InfoStoreError('store_unknown', `there is no information store \`${storeId}\``);

export const storeDiffers = (storeId: string): InfoStoreError =>
  new InfoStoreError('store_differs', `the information store \`${storeId}\` exists with another definition`);

export const changeUnknown = (changeId: string): InfoStoreError =>
  new InfoStoreError('change_unknown', `there is no staged change \`${changeId}\``);

export const changeDiffers = (changeId: string): InfoStoreError =>
  new InfoStoreError('change_differs', `the staged change \`${changeId}\` has another operation or digest`);
