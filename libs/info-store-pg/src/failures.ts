// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { codeOf, isSqlError } from '@writ/database';
import { changeDiffers, changeUnknown, storeDiffers, storeUnknown } from '@writ/info-store';

/** The InfoStoreError for an error of `info_store.publish`; another error stays what it is. */
export function publishFailure(error: unknown, changeId: string): unknown {
  if (isSqlError(error, 'info_store_change_unknown')) return changeUnknown(changeId);
  if (isSqlError(error, 'info_store_change_differs')) return changeDiffers(changeId);
  return isSqlError(error, 'info_store_unknown') ? storeUnknown(`of the change ${changeId}`) : error;
}

/** The InfoStoreError for an error of `info_store.register_store`; another error stays what it is. */
export function registerFailure(error: unknown, storeId: string): unknown {
  return isSqlError(error, 'info_store_differs') ? storeDiffers(storeId) : error;
}

/** SQLSTATE of a statement that ran until `statement_timeout`. */
const CANCELED = '57014';

/**
 * The fault `deadline` for a search that took longer than the database allows to a statement; another error stays what
 * it is. Trying it again would take as long, so it must not look as if the database were away.
 */
export function searchFailure(error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== 'database.unavailable' || codeOf(error.cause) !== CANCELED)
    return error;
  return new Fault(
    'deadline',
    'the search of the store took too long: search for rarer words, or name `filters` that fewer documents match',
    { cause: error },
  );
}
