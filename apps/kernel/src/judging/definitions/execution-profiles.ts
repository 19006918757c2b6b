// SPDX-License-Identifier: Apache-2.0
//
// Execution profiles, as calls are decided under them. INVARIANT (read each time): a profile is read when its call is
// decided and again when the call runs, and a profile that was removed meanwhile runs nothing.
import { Fault, type ExecutionProfile } from '@writ/contract';
import { profileDigest, profileFrom } from '@writ/mk8-shell/dangerous';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** A profile under its name, with the bytes that its digest is over. */
export interface CurrentProfile {
  readonly name: string;
  readonly profile: ExecutionProfile;
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The fault of a profile that doesn't exist, that the agent isn't granted, or that can't be read. */
export const profileUnknown = (name: string, more = ''): Fault =>
  new Fault('profile.unknown', `there is no execution profile \`${name.slice(0, 64)}\`${more}`);

/**
 * The profile of that name, as it is now.
 * @throws Fault `profile.unknown`, also for bytes that this version can't read
 */
export async function profileFor(tenants: TenantPool, tenantId: string, name: string): Promise<CurrentProfile> {
  // No name has a NUL, and the database refuses a parameter that has one.
  const stored = name.includes('\0') ? null : await kernelSql.profileFor(tenants.pool, { tenant: tenantId, name });
  const bytes = stored === null ? null : new Uint8Array(Buffer.from(stored, 'base64'));
  const profile = bytes === null ? null : profileFrom(bytes);
  if (bytes === null || profile === null)
    throw profileUnknown(name, bytes === null ? '' : ' that this version can read');
  return { name, profile, bytes, digest: profileDigest(bytes) };
}
