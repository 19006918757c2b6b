// SPDX-License-Identifier: Apache-2.0
import { Fault, type SandboxView, type SandboxWhole } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { verifiedSandbox } from '../../judging/tools/script-sandboxes.ts';
import { found, type Rows } from '../../foundation/tenancy/index.ts';

/** Levels of JSON that a definition may have. */
const DEPTH_MAX = 40;

type SandboxRow = NonNullable<Awaited<ReturnType<Rows['sandbox']['findUnique']>>>;
/** One that wasn't removed. */
export type StandingSandbox = SandboxRow & {
  readonly definition: NonNullable<SandboxRow['definition']>;
  readonly definition_digest: string;
};

/** The sandbox of that name. @throws Fault `not_found` */
export async function standingSandbox(rows: Rows, tenantId: string, name: string): Promise<StandingSandbox> {
  const row = found(
    name.includes('\0')
      ? null
      : await rows.sandbox.findUnique({ where: { tenant_id_name: { tenant_id: tenantId, name } } }),
  );
  if (!isStanding(row)) throw new Fault('not_found');
  return row;
}

export const isStanding = (row: SandboxRow): row is StandingSandbox =>
  row.definition !== null && row.definition_digest !== null;

export const sandboxView = ({
  name,
  workspace_id,
  definition_digest,
  keyid,
  signed_at,
  updated_by,
  created_at,
  updated_at,
}: Omit<StandingSandbox, 'definition' | 'sig' | 'statement' | 'tenant_id'>): SandboxView => ({
  name,
  workspace_id,
  definition_digest,
  keyid,
  signed_at: keyid === null ? null : Number(signed_at),
  updated_by,
  created_at: Number(created_at),
  updated_at: Number(updated_at),
});

/** A sandbox in full, verified as it is before each script. */
export async function sandboxWhole(rows: Rows, row: StandingSandbox): Promise<SandboxWhole> {
  const key =
    row.keyid === null
      ? null
      : await rows.registrar_key.findUnique({
          where: { tenant_id_keyid: { tenant_id: row.tenant_id, keyid: row.keyid } },
        });
  const signed =
    row.statement === null || row.keyid === null || row.sig === null
      ? null
      : { statement: row.statement, keyid: row.keyid, sig: row.sig };
  const whole = { ...sandboxView(row), tenant_id: row.tenant_id, definition: definitionOf(row) };
  try {
    const { environment, digest } = verifiedSandbox({
      tenantId: row.tenant_id,
      name: row.name,
      definition: row.definition,
      signed,
      publicKey: key?.public_key ?? null,
      isRevoked: key !== null && key.revoked_at !== null,
    });
    return { ...whole, environment: Object.fromEntries(environment), digest, problem: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ...whole, environment: null, digest: null, problem: error.message };
  }
}

/** As it is stored; nothing where it was changed into what is no JSON. */
function definitionOf({ definition }: StandingSandbox): Record<string, unknown> {
  try {
    return parseIJson(definition, { depthMax: DEPTH_MAX }) as Record<string, unknown>;
  } catch {
    return {};
  }
}
