// SPDX-License-Identifier: Apache-2.0
import { Fault, type SandboxView, type SandboxDetails } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { verifiedSandbox } from '../../judging/definitions/script-sandboxes.ts';
import { requireFound, type Rows } from '../../foundation/tenancy/index.ts';

/** Maximum depth of the JSON of a definition. */
const DEPTH_MAX = 40;

type SandboxRow = NonNullable<Awaited<ReturnType<Rows['sandbox']['findUnique']>>>;
/** A sandbox that wasn't removed. */
export type RegisteredSandbox = SandboxRow & {
  readonly definition: NonNullable<SandboxRow['definition']>;
  readonly definition_digest: string;
};

/** The sandbox of that name. @throws Fault `not_found` */
export async function findSandbox(rows: Rows, tenantId: string, name: string): Promise<RegisteredSandbox> {
  const row = requireFound(
    name.includes('\0')
      ? null
      : await rows.sandbox.findUnique({ where: { tenant_id_name: { tenant_id: tenantId, name } } }),
  );
  if (!isRegistered(row)) throw new Fault('not_found');
  return row;
}

export const isRegistered = (row: SandboxRow): row is RegisteredSandbox =>
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
}: Omit<RegisteredSandbox, 'definition' | 'sig' | 'statement' | 'tenant_id'>): SandboxView => ({
  name,
  workspace_id,
  definition_digest,
  keyid,
  signed_at: keyid === null ? null : Number(signed_at),
  updated_by,
  created_at: Number(created_at),
  updated_at: Number(updated_at),
});

/** A sandbox in full, with the verification that runs before each script. */
export async function fullSandboxView(rows: Rows, row: RegisteredSandbox): Promise<SandboxDetails> {
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

/** The stored definition; empty where it was changed to invalid JSON. */
function definitionOf({ definition }: RegisteredSandbox): Record<string, unknown> {
  try {
    return parseIJson(definition, { depthMax: DEPTH_MAX }) as Record<string, unknown>;
  } catch {
    return {};
  }
}
