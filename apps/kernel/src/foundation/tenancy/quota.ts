// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId, type WorkspaceLimitsChange } from '@writ/contract';
import { kernelSql } from '../database/functions/index.ts';
import type { Sizes } from '../workspace/sizes.ts';
import { callIn } from './call-in.ts';
import { plainRow } from './plain-row.ts';
import type { Rows } from './tenancy.ts';

/** Times that workspaces are counted whose heads keep moving under a version that doesn't count. */
const TRIES_MAX = 8;

/** Of which workspaces: all of a tenant, or one. */
export interface Counted {
  readonly tenant_id: string;
  readonly workspace_id?: string;
}

/**
 * Answers, first thing in a transaction that may set a quota, whether all that it bounds is counted; until COMMIT no
 * head moves then.
 */
export type IsCounted = (rows: Rows) => Promise<boolean>;

/**
 * Sets a quota where all that it bounds is counted. `set` asks what it is given before anything else, and resolves with
 * null, having written nothing, where something isn't: it is counted then and `set` runs again. A change that lifts
 * quotas or names none has nothing to ask. @throws Fault `overloaded`, and what `set` throws
 */
export async function withQuota<T>(
  sizes: Sizes,
  tenant_id: TenantId,
  workspaceId: string | null,
  change: WorkspaceLimitsChange,
  set: (isCounted: IsCounted) => Promise<T | null>,
): Promise<T> {
  const isBound = [change.files_max, change.bytes_max].some((max) => typeof max === 'number');
  const where: Counted = { tenant_id, ...(workspaceId === null ? {} : { workspace_id: workspaceId }) };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    // What is set for other reasons mustn't wait for many trees to be read.
    if (isBound) await sizes.count(tenant_id, workspaceId);
    const made = await set(async (rows) => {
      if (!isBound) return true;
      await callIn(rows, kernelSql.changeRules, { tenant: tenant_id });
      return (await rows.workspace.count({ where: { ...where, files: null } })) === 0;
    });
    if (made !== null) return made;
  }
  throw new Fault('overloaded', 'the workspaces kept changing while they were counted');
}

/** What these workspaces hold together; nulls where one of them isn't counted. */
export async function heldIn(rows: Rows, where: Counted): Promise<{ files: number | null; bytes: number | null }> {
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
export async function outputsHeld(rows: Rows, tenantId: TenantId): Promise<number> {
  return await callIn(rows, kernelSql.outputsHeld, { tenant: tenantId, but: null });
}
