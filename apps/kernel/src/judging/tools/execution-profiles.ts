// SPDX-License-Identifier: Apache-2.0
//
// Execution profiles, as calls are decided under them. INVARIANT (read each time): a profile is read when its call is
// decided and again when it runs, and what was removed meanwhile runs nothing.
import { Fault, type ExecutionProfile } from '@writ/contract';
import { profileDigest, profileFrom } from '@writ/mk8-shell/dangerous';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** A profile under its name, with the bytes that its digest is over. */
export interface StandingProfile {
  readonly name: string;
  readonly profile: ExecutionProfile;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * The profile of that name, as it stands now.
 * @throws Fault `profile.unknown`, also for bytes that are none of this version
 */
export async function profileFor(tenants: TenantPool, tenantId: string, name: string): Promise<StandingProfile> {
  // No name has a NUL, and the database takes none in a question.
  const stored = name.includes('\0') ? null : await kernelSql.profileFor(tenants.pool, { tenant: tenantId, name });
  const bytes = stored === null ? null : new Uint8Array(Buffer.from(stored, 'base64'));
  const profile = bytes === null ? null : profileFrom(bytes);
  if (bytes === null || profile === null)
    throw new Fault(
      'profile.unknown',
      `there is no execution profile \`${name.slice(0, 64)}\`${bytes === null ? '' : ' that this version can read'}`,
    );
  return { name, profile, bytes, digest: profileDigest(bytes) };
}
