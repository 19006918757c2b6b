// SPDX-License-Identifier: Apache-2.0
import type { PreconditionRef } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The version of a path where nothing stands, and of a resource that isn't there. */
export const ABSENT = 'absent';

/** Versions of resources by name; one that isn't there has none. */
export type Versions = Readonly<Record<string, string>>;

interface Relying {
  readonly tenant_id: string;
  readonly precondition_refs: readonly PreconditionRef[];
}

const resourcesIn = ({ precondition_refs }: Pick<Relying, 'precondition_refs'>): PreconditionRef[] =>
  precondition_refs.filter(({ kind }) => kind === 'resource');

/**
 * Reads the versions of the resources that the call relies on. Null, and nothing asked, for a call that relies on none.
 */
export async function readVersions(tenants: TenantPool, call: Relying): Promise<Versions | null> {
  const refs = resourcesIn(call).map(({ ref }) => ref);
  return refs.length === 0 ? null : await kernelSql.resourceVersions(tenants.pool, { tenant: call.tenant_id, refs });
}

/** What the statement that writes asserts of them, for its order: no member for a call that relies on none. */
export function assertedVersions(call: Pick<Relying, 'precondition_refs'>): {
  readonly versions?: readonly { ref: string; version: string }[];
} {
  const versions = resourcesIn(call).map(({ ref, version }) => ({ ref, version }));
  return versions.length === 0 ? {} : { versions };
}
