// SPDX-License-Identifier: Apache-2.0
import { isSqlError } from '@writ/database';
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
