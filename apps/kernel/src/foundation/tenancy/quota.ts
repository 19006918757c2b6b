// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId, type WorkspaceLimitsChange } from '@writ/contract';
import { kernelSql } from '../database/functions/index.ts';
import type { Sizes } from '../workspace/sizes.ts';
import { callIn } from './call-in.ts';
import { plainRow } from './plain-row.ts';
import type { Rows } from './tenancy.ts';

/** How often workspaces are counted anew while a version that doesn't count moves their heads. */
const TRIES_MAX = 8;

/** The workspaces to count: all of a tenant, or one. */
export interface CountedWorkspaces {
  readonly tenant_id: string;
  readonly workspace_id?: string;
}

/**
 * Returns whether all that the quota bounds is counted. A transaction that may set a quota calls it first; until COMMIT
 * no head moves then.
 */
export type IsCounted = (rows: Rows) => Promise<boolean>;

/**
 * Sets a quota where all that it bounds is counted. `set` calls the function that it receives before anything else.
 * Where something isn't counted, `set` writes nothing and resolves with null; the workspaces are counted then, and
 * `set` runs again. A change that lifts quotas or names none counts nothing. @throws Fault `overloaded`, and what `set`
 * throws
 */
export async function withQuota<T>(
  sizes: Sizes,
  tenant_id: TenantId,
  workspaceId: string | null,
  change: WorkspaceLimitsChange,
  set: (isCounted: IsCounted) => Promise<T | null>,
): Promise<T> {
  const isBound = [change.files_max, change.bytes_max].some((max) => typeof max === 'number');
  const scope: CountedWorkspaces = { tenant_id, ...(workspaceId === null ? {} : { workspace_id: workspaceId }) };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // A change that sets no quota mustn't wait for many trees to be read.
    if (isBound) await sizes.count(tenant_id, workspaceId);
    const changed = await set(async (rows) => {
      if (!isBound) return true;
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      return (await rows.workspace.count({ where: { ...scope, files: null } })) === 0;
    });
    if (changed !== null) return changed;
  }
  throw new Fault('overloaded', 'the workspaces kept changing while they were counted');
}

/** The files and bytes in these workspaces together; nulls where one of them isn't counted. */
export async function workspaceSizes(
  rows: Rows,
  where: CountedWorkspaces,
): Promise<{ files: number | null; bytes: number | null }> {
  const { _sum, _count } = await rows.workspace.aggregate({
    where,
    _sum: { files: true, bytes: true },
    _count: { _all: true, files: true },
  });
  if (_count.files < _count._all) return { files: null, bytes: null };
  const { files, bytes } = plainRow(_sum);
  return { files: files ?? 0, bytes: bytes ?? 0 };
}

/** Bytes of full outputs that are kept for the tenant now. */
export async function keptOutputBytes(rows: Rows, tenantId: TenantId): Promise<number> {
  return await callIn(rows, kernelSql.outputsHeld, { tenant: tenantId, but: null });
}
