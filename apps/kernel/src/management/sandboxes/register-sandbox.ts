// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type SandboxPutReply, type SandboxDetails } from '@writ/contract';
import {
  DEFAULT_SANDBOX,
  definitionBytes,
  readDefinition,
  SANDBOX_PAYLOAD_TYPE,
  sandboxDefinitionDigest,
  SignedSandboxError,
  verifySandbox,
  type SandboxDefinition,
  type SignedSandbox,
} from '@writ/mk8-shell';
import { requireMatch } from '@writ/nest-kit';
import { parseVerifier } from '@writ/signing';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { publicJwkFrom } from '../../judging/definitions/script-sandboxes.ts';
import { requireFound, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { isRegistered, sandboxView, fullSandboxView, findSandbox } from './sandbox-row.ts';

/**
 * How far a registrar's clock may be ahead of the database's, in milliseconds. A signature from the future would block
 * later signatures until that time.
 */
const CLOCK_SKEW_MAX_MS = 5 * 60_000;

/** Registers sandboxes of a tenant, accepts signatures of their registrars, and removes sandboxes. */
export class RegisterSandbox {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * Registers or changes a sandbox. Problems of its definition are returned as an answer and not as a fault. INVARIANT
   * (signed as it is): a changed definition removes the signature.
   * @throws Fault `auth.role`, `workspace.unknown`, `precondition.failed`, `limit.exceeded`
   */
  async put({ caller, name, definition: sent, if_match }: KernelRequest<'sandbox.put'>): Promise<SandboxPutReply> {
    requireRole(caller, 'admin');
    if (name === DEFAULT_SANDBOX.name)
      return invalid([
        { pointer: '/name', message: `\`${name}\` is the sandbox of scripts that name none: use another name` },
      ]);
    const { definition, problems } = readDefinition(sent);
    if (definition === null) return invalid(problems);
    const bytes = new Uint8Array(definitionBytes(definition));
    const definition_digest = sandboxDefinitionDigest(bytes);
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make<SandboxPutReply>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      await requireSandboxMatch(rows, tenant_id, name, if_match);
      if (!(await isWorkspace(rows, tenant_id, definition)))
        throw new Fault('workspace.unknown', undefined, { pointer: '/workspace_id' });
      const where = { tenant_id_name: { tenant_id, name } };
      const row = await rows.sandbox.findUnique({ where });
      if (row !== null && isRegistered(row) && row.definition_digest === definition_digest)
        return { value: { valid: true, problems: [], sandbox: sandboxView(row) }, records: [] };
      if (
        (row === null || !isRegistered(row)) &&
        (await rows.sandbox.count({ where: { tenant_id, definition: { not: null } } })) >= LIMITS.sandboxes.max
      )
        throw new Fault('limit.exceeded', `a tenant has at most ${String(LIMITS.sandboxes.max)} sandboxes`);
      const data = {
        workspace_id: definition.workspace_id,
        definition: bytes,
        definition_digest,
        statement: null,
        keyid: null,
        sig: null,
        updated_by,
        updated_at: BigInt(now),
      };
      if (row === null)
        await rows.sandbox.createMany({ data: [{ tenant_id, name, created_at: BigInt(now), ...data }] });
      else await rows.sandbox.updateMany({ where: { tenant_id, name }, data });
      const value = { valid: true, problems: [], sandbox: sandboxView(await findSandbox(rows, tenant_id, name)) };
      return { value, records: [recordOf('sandbox_registered', updated_by, name, definition_digest)] };
    });
  }

  /**
   * Accepts a registrar's signature of the current definition. INVARIANT (never older): a signature is later than every
   * earlier signature of that name, so a replaced definition can't be restored by its old signature.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`, `sandbox.unverified`, `conflict`
   */
  async sign({ caller, name, envelope, if_match }: KernelRequest<'sandbox.sign'>): Promise<SandboxDetails> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make<SandboxDetails>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const row = await findSandbox(rows, tenant_id, name);
      await requireSandboxMatch(rows, tenant_id, name, if_match);
      const { keyid, signed_at, digest } = await verifySignature(rows, {
        tenantId: tenant_id,
        name,
        definition: row.definition,
        envelope,
      });
      if (signed_at > now + CLOCK_SKEW_MAX_MS)
        throw new Fault('conflict', 'it was signed in the future: correct the clock of the signer');
      if (BigInt(signed_at) <= row.signed_at) {
        if (row.keyid === keyid && BigInt(signed_at) === row.signed_at)
          return { value: await fullSandboxView(rows, row), records: [] };
        throw new Fault('conflict', 'a later signature was accepted already: sign it again');
      }
      const statement = new Uint8Array(Buffer.from(envelope.payload, 'base64'));
      const sig = new Uint8Array(Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
      await rows.sandbox.updateMany({
        where: { tenant_id, name },
        data: { statement, keyid, sig, signed_at: BigInt(signed_at), updated_by, updated_at: BigInt(now) },
      });
      return {
        value: await fullSandboxView(rows, await findSandbox(rows, tenant_id, name)),
        records: [recordOf('sandbox_signed', updated_by, name, digest)],
      };
    });
  }

  /**
   * Removes a sandbox. From then on no script runs in it.
   * @throws Fault `auth.role`, `not_found`, `precondition.failed`
   */
  async remove({ caller, name, if_match }: KernelRequest<'sandbox.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const { definition_digest } = await findSandbox(rows, tenant_id, name);
      await requireSandboxMatch(rows, tenant_id, name, if_match);
      await rows.sandbox.updateMany({
        where: { tenant_id, name },
        data: {
          definition: null,
          definition_digest: null,
          statement: null,
          keyid: null,
          sig: null,
          updated_by,
          updated_at: BigInt(now),
        },
      });
      return { value: { removed: name }, records: [recordOf('sandbox_removed', updated_by, name, definition_digest)] };
    });
  }
}

const invalid = (problems: readonly { readonly pointer: string; readonly message: string }[]): SandboxPutReply => ({
  valid: false,
  problems: problems.map((problem) => ({ ...problem })),
  sandbox: null,
});
const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});

/** Serializes changes of a tenant's sandboxes and registrar keys. */
export async function lockSandboxes(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.sandboxes.' || ${tenantId}, 0))::text`;
}

/** Compares the sandbox as a read shows it, if there is a condition. @throws Fault `precondition.failed` */
async function requireSandboxMatch(
  rows: Rows,
  tenantId: string,
  name: string,
  ifMatch: readonly string[] | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  const row = await rows.sandbox.findUnique({ where: { tenant_id_name: { tenant_id: tenantId, name } } });
  requireMatch(ifMatch, row !== null && isRegistered(row) ? await fullSandboxView(rows, row) : null);
}

const isWorkspace = async (rows: Rows, tenant_id: string, { workspace_id }: SandboxDefinition): Promise<boolean> =>
  (await rows.workspace.findFirst({ where: { tenant_id, workspace_id }, select: { workspace_id: true } })) !== null;

/** Verifies an incoming signature with the keys that may still sign. @throws Fault `sandbox.unverified` */
async function verifySignature(rows: Rows, stored: Parameters<typeof verifySandbox>[0]): Promise<SignedSandbox> {
  if (stored.envelope.payloadType !== SANDBOX_PAYLOAD_TYPE)
    throw new Fault(
      'sandbox.unverified',
      `the signed payload has the type \`${stored.envelope.payloadType.slice(0, 64)}\`, and not \`${SANDBOX_PAYLOAD_TYPE}\``,
    );
  const keys = await rows.registrar_key.findMany({
    where: { tenant_id: stored.tenantId, retired_at: null, revoked_at: null },
  });
  try {
    return verifySandbox(
      stored,
      new Map(keys.map(({ keyid, public_key }) => [keyid, parseVerifier(publicJwkFrom(requireFound(public_key)))])),
    );
  } catch (error) {
    if (!(error instanceof SignedSandboxError)) throw error;
    throw new Fault('sandbox.unverified', `the signature is not accepted: ${error.message}`, { cause: error });
  }
}
