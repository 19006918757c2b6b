// SPDX-License-Identifier: Apache-2.0
import { Fault, type BoundResource, type InfoStoreSettings } from '@writ/contract';
import { definitionOfSettings, InfoStoreError, type StoreDefinition } from '@writ/info-store';
import { infoStoreSql, registerFailure } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

const CHANGED_HINT = 'register another store, and put the documents there';

/**
 * Makes the tables of a local store before a call uses it, where it is new. A store outside has none here.
 * @throws Fault `store.mismatch` where it has another language or model than the settings name
 */
export async function ensureStore(
  tenants: TenantPool,
  tenantId: string,
  { resource_id, settings }: Pick<BoundResource, 'resource_id' | 'settings'>,
): Promise<void> {
  const { backend } = settings as InfoStoreSettings;
  if (backend.kind !== 'local') return;
  const { language, embedding } = definitionOf(resource_id, settings as InfoStoreSettings);
  const [model, dims] = [embedding?.model ?? null, embedding?.dimensions ?? null];
  const row = await infoStoreSql.findStore(tenants.pool, { tenant: tenantId, store: resource_id });
  if (row !== null && row.language === language && row.model === model && row.dimensions === dims) return;
  // Of two calls that find none, the second one finds that of the first.
  await infoStoreSql
    .registerStore(tenants.pool, { tenant: tenantId, store: resource_id, lang: language, model, dims })
    .catch((error: unknown) => {
      const failure = registerFailure(error, resource_id);
      throw failure instanceof InfoStoreError
        ? new Fault('store.mismatch', `the store was made with other settings: ${CHANGED_HINT}`, { cause: error })
        : error;
    });
}

function definitionOf(resourceId: string, settings: InfoStoreSettings): StoreDefinition {
  try {
    return definitionOfSettings(resourceId, settings);
  } catch (error) {
    if (!(error instanceof InfoStoreError)) throw error;
    throw new Fault('store.mismatch', `the settings of the store: ${error.message}`, { cause: error });
  }
}
