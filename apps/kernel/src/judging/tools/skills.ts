// SPDX-License-Identifier: Apache-2.0
import { parseMessage, SkillManifest, type SkillAtHand } from '@writ/contract';
import { canonicalBytes, parseJson, sha256Hex } from '@writ/digest';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The bytes of a version, which its digest is over. */
export const skillBytes = (manifest: SkillManifest): Uint8Array => canonicalBytes(manifest);

/** Null where what is stored is not the version of that digest: somebody else wrote it. */
export const skillFrom = (bytes: Uint8Array, digest: string): SkillManifest | null =>
  sha256Hex(bytes) === digest ? parseMessage(SkillManifest, parseJson(Buffer.from(bytes).toString('utf8'))) : null;

/** @throws where what is stored is not the version of that digest */
export function requireSkill(bytes: Uint8Array, digest: string): SkillManifest {
  const manifest = skillFrom(bytes, digest);
  if (manifest === null) throw new Error(`the version \`${digest}\` of a skill is not as it was uploaded`);
  return manifest;
}

/** What a call that reads a skill finds at this moment; a version that was changed in the database is not there. */
export async function skillAtHand(tenants: TenantPool, tenantId: string, name: string): Promise<SkillAtHand> {
  const { found, names } = await kernelSql.skillFor(tenants.pool, { tenant: tenantId, name });
  const manifest = found === null ? null : skillFrom(Buffer.from(found.contents, 'base64'), found.digest);
  return { found: found === null || manifest === null ? null : { digest: found.digest, manifest }, names: [...names] };
}
