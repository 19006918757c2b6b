// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A head whose size is not counted yet. */
export interface UncountedState {
  readonly workspace_id: string;
  readonly snapshot_id: string;
  readonly seq: number;
}

/** The tenant whose garbage is collected next, and the database's clock in milliseconds. */
export interface CollectionTurn {
  readonly tenant_id: TenantId;
  readonly now: number;
}

/** The functions of `sql/functions/workspaces` that the kernel calls. */
export const workspacesFunctions = {
  putSize: kernelFunction<boolean>()(
    'kernel.put_size',
    {
      tenant: sqlTypes.text,
      workspace: sqlTypes.text,
      seq: sqlTypes.bigint,
      files: sqlTypes.bigint,
      bytes: sqlTypes.bigint,
    },
    { returns: 'value' },
  ),
  snapshotAt: kernelFunction<string | null>()(
    'kernel.snapshot_at',
    { workspace: sqlTypes.text, at: sqlTypes.bigint },
    { returns: 'value' },
  ),
  takeCollection: kernelFunction<CollectionTurn | null>()(
    'kernel.take_collection',
    { every: sqlTypes.bigint },
    { returns: 'value' },
  ),
  uncounted: kernelFunction<readonly UncountedState[]>()(
    'kernel.uncounted',
    { tenant: sqlTypes.text, workspace: sqlTypes.nullable(sqlTypes.text) },
    { returns: 'value' },
  ),
} as const;
