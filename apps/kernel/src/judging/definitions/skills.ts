// SPDX-License-Identifier: Apache-2.0
import { parseMessage, SkillManifest, type SkillForCall, type SkillLine } from '@writ/contract';
import { canonicalBytes, parseJson, sha256Hex } from '@writ/digest';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { clearancesOf } from './granted-definitions.ts';

/** The bytes of a version, which its digest is over. */
export const skillBytes = (manifest: SkillManifest): Uint8Array => canonicalBytes(manifest);

/** Null where the stored bytes are not the version of that digest: they were changed after the upload. */
export const skillFrom = (bytes: Uint8Array, digest: string): SkillManifest | null =>
  sha256Hex(bytes) === digest ? parseMessage(SkillManifest, parseJson(Buffer.from(bytes).toString('utf8'))) : null;

/** @throws where the stored bytes are not the version of that digest */
export function requireSkill(bytes: Uint8Array, digest: string): SkillManifest {
  const manifest = skillFrom(bytes, digest);
  if (manifest === null) throw new Error(`the version \`${digest}\` of a skill is not as it was uploaded`);
  return manifest;
}

/** The agent of a call. */
type Caller = Parameters<typeof clearancesOf>[1];

/**
 * The skill that a call reads at this moment, and the names of all that its agent is granted. One that isn't granted
 * counts as absent, and so does a version that was changed in the database.
 */
export async function readSkill(tenants: TenantPool, caller: Caller, name: string): Promise<SkillForCall> {
  const { found, names } = await kernelSql.skillFor(tenants.pool, { tenant: caller.tenant_id, name });
  const granted = await clearancesOf(tenants, caller, 'skill', [...new Set([name, ...names])]);
  const manifest =
    found === null || !granted.has(name) ? null : skillFrom(Buffer.from(found.contents, 'base64'), found.digest);
  return {
    found: found === null || manifest === null ? null : { digest: found.digest, manifest },
    names: names.filter((each) => granted.has(each)),
  };
}

/**
 * Name and description of each skill that the agent is granted at this moment; a version that was changed in the
 * database counts as absent.
 */
export async function readSkillLines(tenants: TenantPool, caller: Caller): Promise<SkillLine[]> {
  const versions = await kernelSql.skillVersionsOf(tenants.pool, { tenant: caller.tenant_id });
  const lines = versions.flatMap(({ digest, contents }) => {
    const manifest = skillFrom(Buffer.from(contents, 'base64'), digest);
    return manifest === null ? [] : [{ name: manifest.name, description: manifest.description }];
  });
  const names = lines.map(({ name }) => name);
  const granted = await clearancesOf(tenants, caller, 'skill', names);
  return lines.filter(({ name }) => granted.has(name));
}
