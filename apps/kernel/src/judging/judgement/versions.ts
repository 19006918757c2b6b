// SPDX-License-Identifier: Apache-2.0
import type { PreconditionRef } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The version of a path without a file, and of an external thing that has none. */
export const ABSENT = 'absent';

/** External versions by name. */
export type Versions = Readonly<Record<string, string>>;

interface VersionedCall {
  readonly tenant_id: string;
  readonly precondition_refs: readonly PreconditionRef[];
}

const externalIn = ({ precondition_refs }: Pick<VersionedCall, 'precondition_refs'>): PreconditionRef[] =>
  precondition_refs.filter(({ kind }) => kind === 'external_version');

/**
 * Reads the external versions that the call relies on. Null, without a query, for a call that relies on none.
 */
export async function readVersions(tenants: TenantPool, call: VersionedCall): Promise<Versions | null> {
  const refs = externalIn(call).map(({ ref }) => ref);
  return refs.length === 0 ? null : await kernelSql.externalVersions(tenants.pool, { tenant: call.tenant_id, refs });
}

/** The versions for the statement that writes, to assert: no member for a call that relies on none. */
export function assertedVersions(call: Pick<VersionedCall, 'precondition_refs'>): {
  readonly versions?: readonly { ref: string; version: string }[];
} {
  const versions = externalIn(call).map(({ ref, version }) => ({ ref, version }));
  return versions.length === 0 ? {} : { versions };
}
