// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (from the decision): the kernel computes what a call changes in a store from the arguments that it decided
// on. An executor only names what it staged, and another digest or operation is not published.
import {
  bindTool,
  targetsOf,
  VECDB_DELETE,
  VECDB_UPSERT,
  type BoundResource,
  type InfoStoreSettings,
  type ReportRequest,
  type ToolDefinition,
} from '@writ/contract';
import { changeDigest, changeOfCall } from '@writ/info-store';
import { infoStoreSql } from '../../foundation/database/functions/index.ts';
import { boundTo } from '../../judging/judgement/index.ts';
import { resourcesFor } from '../../judging/definitions/registered-resources.ts';
import { definitionDigest } from '../../judging/definitions/tenant-tools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { outcomeFault, type OutcomeFault, type PublishedChange } from '../outcomes/index.ts';

const CHANGING: ReadonlyMap<string, ToolDefinition> = new Map(
  [VECDB_UPSERT, VECDB_DELETE].map((tool) => [tool.tool_id, tool]),
);

/**
 * What a call that succeeded publishes in a store of the database; null for any other call, and for a store outside.
 * A fault where the store was removed or changed since the call was decided, or nothing was staged.
 */
export async function storeChangeOf(
  tenants: TenantPool,
  operation: OperationRow,
  { store_change }: Pick<ReportRequest, 'store_change'>,
  readArguments: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<PublishedChange | OutcomeFault | null> {
  const tool = CHANGING.get(operation.tool_id);
  if (tool === undefined)
    return store_change === undefined ? null : outcomeFault('effect.invalid', 'the call changes no information store');
  const args = await readArguments();
  const store = await decidedStore(tenants, operation, tool, args);
  if ('code' in store) return store;
  if ((store.settings as InfoStoreSettings).backend.kind !== 'local')
    return store_change === undefined ? null : outcomeFault('effect.invalid', 'the information store lies outside');
  if (store_change === undefined) return outcomeFault('effect.invalid', 'the call staged no change of its store');
  const row = await infoStoreSql.findStore(tenants.pool, { tenant: operation.tenant_id, store: store.resource_id });
  if (row === null) return outcomeFault('resource.unknown', 'the information store was removed');
  const digest = changeDigest(changeOfCall(operation.tool_id, store.resource_id, args));
  const { change_id } = store_change;
  return { change: 'publish', store_id: store.resource_id, change_id, digest, version: row.version + 1 };
}

/** The store that the call was decided on, if it is still so. */
async function decidedStore(
  tenants: TenantPool,
  operation: OperationRow,
  tool: ToolDefinition,
  args: Readonly<Record<string, unknown>>,
): Promise<BoundResource | OutcomeFault> {
  const resources = boundTo(await resourcesFor(tenants, operation, targetsOf(tool, args)));
  const [store] = resources ?? [];
  if (resources === null || store === undefined)
    return outcomeFault('resource.unknown', 'the information store was removed, or is no longer granted to the agent');
  return definitionDigest(bindTool(tool, resources)) === operation.tool_definition_digest
    ? store
    : outcomeFault('tool.changed', 'the information store was changed since the call was decided', 'propose it anew');
}
