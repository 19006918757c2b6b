// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type SandboxPut, type SandboxWhole } from '@writ/contract';
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
import { parseVerifier } from '@writ/signing';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { publicJwkFrom } from '../../judging/tools/script-sandboxes.ts';
import { found, requireRole, type Rows } from '../../foundation/tenancy/index.ts';
import { isStanding, sandboxView, sandboxWhole, standingSandbox } from './sandbox-row.ts';

/**
 * How far a registrar's clock may be ahead of ours: what is signed in the future would keep others from signing until
 * then. In milliseconds.
 */
const AHEAD_MAX_MS = 5 * 60_000;

/** Registers sandboxes of a tenant, takes the signatures of their registrars, and removes them. */
export class RegisterSandbox {
  readonly #changes: Changes;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /**
   * Registers a sandbox, or changes it: what is wrong with its definition is an answer, not a fault. INVARIANT (signed
   * as it is): another definition than stands takes the signature with it. @throws Fault `auth.role`,
   * `workspace.unknown`, `limit.exceeded`
   */
  async put({ caller, name, definition: sent }: KernelRequest<'sandbox.put'>): Promise<SandboxPut> {
    requireRole(caller, 'admin');
    if (name === DEFAULT_SANDBOX.name)
      return wrong([
        { pointer: '/name', message: `\`${name}\` is what scripts run in that name no sandbox: give it another name` },
      ]);
    const { definition, problems } = readDefinition(sent);
    if (definition === null) return wrong(problems);
    const bytes = new Uint8Array(definitionBytes(definition));
    const definition_digest = sandboxDefinitionDigest(bytes);
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make<SandboxPut>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      if (!(await isWorkspace(rows, tenant_id, definition)))
        throw new Fault('workspace.unknown', undefined, { pointer: '/workspace_id' });
      const where = { tenant_id_name: { tenant_id, name } };
      const row = await rows.sandbox.findUnique({ where });
      if (row !== null && isStanding(row) && row.definition_digest === definition_digest)
        return { value: { valid: true, problems: [], sandbox: sandboxView(row) }, records: [] };
      if (
        (row === null || !isStanding(row)) &&
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
      const value = { valid: true, problems: [], sandbox: sandboxView(await standingSandbox(rows, tenant_id, name)) };
      return { value, records: [recordOf('sandbox_registered', updated_by, name, definition_digest)] };
    });
  }

  /**
   * Takes a registrar's signature of the sandbox as it stands. INVARIANT (never older): a signature is later than every
   * one before it of that name, so that what was signed once and replaced doesn't come back. @throws Fault `auth.role`,
   * `not_found`, `sandbox.unverified`, `conflict`
   */
  async sign({ caller, name, envelope }: KernelRequest<'sandbox.sign'>): Promise<SandboxWhole> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make<SandboxWhole>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const row = await standingSandbox(rows, tenant_id, name);
      const { keyid, signed_at, digest } = await verifiedBy(rows, {
        tenantId: tenant_id,
        name,
        definition: row.definition,
        envelope,
      });
      if (signed_at > now + AHEAD_MAX_MS)
        throw new Fault('conflict', 'it was signed in the future: set the clock where it is signed');
      if (BigInt(signed_at) <= row.signed_at) {
        if (row.keyid === keyid && BigInt(signed_at) === row.signed_at)
          return { value: await sandboxWhole(rows, row), records: [] };
        throw new Fault('conflict', 'a later signature was taken already: sign it anew');
      }
      const statement = new Uint8Array(Buffer.from(envelope.payload, 'base64'));
      const sig = new Uint8Array(Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'));
      await rows.sandbox.updateMany({
        where: { tenant_id, name },
        data: { statement, keyid, sig, signed_at: BigInt(signed_at), updated_by, updated_at: BigInt(now) },
      });
      return {
        value: await sandboxWhole(rows, await standingSandbox(rows, tenant_id, name)),
        records: [recordOf('sandbox_signed', updated_by, name, digest)],
      };
    });
  }

  /** Removes a sandbox: no script runs in it from then on. @throws Fault `auth.role`, `not_found` */
  async remove({ caller, name }: KernelRequest<'sandbox.remove'>): Promise<{ removed: string }> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: updated_by } = caller;
    return await this.#changes.make(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const { definition_digest } = await standingSandbox(rows, tenant_id, name);
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

const wrong = (problems: readonly { readonly pointer: string; readonly message: string }[]): SandboxPut => ({
  valid: false,
  problems: problems.map((problem) => ({ ...problem })),
  sandbox: null,
});
const recordOf = (verb: string, actor: string, subject: string, digest: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject, digest },
});

/** Changes of a tenant's sandboxes and registrars' keys come one after the other. */
export async function lockSandboxes(rows: Rows, tenantId: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.sandboxes.' || ${tenantId}, 0))::text`;
}

const isWorkspace = async (rows: Rows, tenant_id: string, { workspace_id }: SandboxDefinition): Promise<boolean> =>
  (await rows.workspace.findFirst({ where: { tenant_id, workspace_id }, select: { workspace_id: true } })) !== null;

/** Judges a signature that comes in: by keys that may still sign. @throws Fault `sandbox.unverified` */
async function verifiedBy(rows: Rows, stored: Parameters<typeof verifySandbox>[0]): Promise<SignedSandbox> {
  if (stored.envelope.payloadType !== SANDBOX_PAYLOAD_TYPE)
    throw new Fault(
      'sandbox.unverified',
      `what was signed is of the type \`${stored.envelope.payloadType.slice(0, 64)}\`, and not \`${SANDBOX_PAYLOAD_TYPE}\``,
    );
  const keys = await rows.registrar_key.findMany({
    where: { tenant_id: stored.tenantId, retired_at: null, revoked_at: null },
  });
  try {
    return verifySandbox(
      stored,
      new Map(keys.map(({ keyid, public_key }) => [keyid, parseVerifier(publicJwkFrom(found(public_key)))])),
    );
  } catch (error) {
    if (!(error instanceof SignedSandboxError)) throw error;
    throw new Fault('sandbox.unverified', `the signature is not taken: ${error.message}`, { cause: error });
  }
}
