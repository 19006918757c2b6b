// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type KernelRequest, type RegistrarKeyView } from '@writ/contract';
import { keyidOf, parseVerifier, SignatureError } from '@writ/signing';
import type { ChangeRecord, Changes } from '../../evidence/changes/index.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { publicJwkFrom } from '../../judging/definitions/script-sandboxes.ts';
import type { ListPage } from '@writ/paging';
import {
  requireFound,
  newestFirst,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { lockSandboxes } from './register-sandbox.ts';

type KeyRow = NonNullable<Awaited<ReturnType<Rows['registrar_key']['findUnique']>>>;

/** Public keys of a tenant's registrars. Several may be active at once, so a key can be replaced without a gap. */
export class Registrars {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;

  constructor(tenancy: Tenancy, changes: Changes) {
    this.#tenancy = tenancy;
    this.#changes = changes;
  }

  /** @throws Fault `auth.role`, `request.malformed`, `conflict` for a retired or revoked key, `limit.exceeded` */
  async add({ caller, public_key, note }: KernelRequest<'registrar.add'>): Promise<RegistrarKeyView> {
    requireRole(caller, 'admin');
    const keyid = keyidIn(public_key);
    const { tenant_id, api_key_id: created_by } = caller;
    return await this.#changes.make<RegistrarKeyView>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const where = { tenant_id_keyid: { tenant_id, keyid } };
      const existing = await rows.registrar_key.findUnique({ where });
      if (existing !== null && stateOf(existing) !== 'active')
        throw new Fault('conflict', `the key was ${stateOf(existing)} and can't be added again: create another one`);
      if (existing !== null) return { value: keyView(existing), records: [] };
      if (
        (await rows.registrar_key.count({ where: { tenant_id, retired_at: null, revoked_at: null } })) >=
        LIMITS.registrarKeys.max
      )
        throw new Fault(
          'limit.exceeded',
          `a tenant has at most ${String(LIMITS.registrarKeys.max)} active keys of registrars`,
        );
      await rows.registrar_key.createMany({
        data: [
          {
            tenant_id,
            keyid,
            public_key: new Uint8Array(Buffer.from(public_key.x, 'base64url')),
            note,
            created_by,
            created_at: BigInt(now),
          },
        ],
      });
      return {
        value: keyView(requireFound(await rows.registrar_key.findUnique({ where }))),
        records: [recordOf('registrar_key_added', created_by, keyid)],
      };
    });
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'registrar.list'>): Promise<ListPage<RegistrarKeyView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const where = { ...rowsAfter(parseCursor(page.cursor), 'keyid'), tenant_id };
    const keys = await this.#tenancy.within(tenant_id, (rows) =>
      rows.registrar_key.findMany({ where, orderBy: newestFirst('keyid'), take: page.limit + 1 }),
    );
    return fittedPage(keys.map(keyView), page.limit, ({ created_at, keyid }) => ({ created_at, id: keyid }));
  }

  /**
   * Retires or revokes a key. Signatures of a retired key stay valid, and those of a revoked key do not.
   * @throws Fault `auth.role`, `not_found`
   */
  async end({ caller, keyid, as }: KernelRequest<'registrar.end'>): Promise<RegistrarKeyView> {
    requireRole(caller, 'admin');
    const { tenant_id, api_key_id: ended_by } = caller;
    return await this.#changes.make<RegistrarKeyView>(tenant_id, async (rows, now) => {
      await lockSandboxes(rows, tenant_id);
      const where = { tenant_id_keyid: { tenant_id, keyid } };
      const key = requireFound(keyid.includes('\0') ? null : await rows.registrar_key.findUnique({ where }));
      const column = as === 'revoked' ? 'revoked_at' : 'retired_at';
      if (key.revoked_at !== null || key[column] !== null) return { value: keyView(key), records: [] };
      await rows.registrar_key.updateMany({ where: { tenant_id, keyid }, data: { [column]: BigInt(now), ended_by } });
      return {
        value: keyView(requireFound(await rows.registrar_key.findUnique({ where }))),
        records: [recordOf(`registrar_key_${as}`, ended_by, keyid)],
      };
    });
  }
}

/** Validates a key before it is stored. A key of a low order or a wrong length can never verify a signature. */
function keyidIn(publicKey: KernelRequest<'registrar.add'>['public_key']): string {
  try {
    parseVerifier(publicKey);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new Fault('request.malformed', 'it is no Ed25519 public key', { pointer: '/public_key', cause: error });
  }
  return keyidOf(publicKey);
}

const stateOf = ({ retired_at, revoked_at }: KeyRow): RegistrarKeyView['state'] =>
  revoked_at !== null ? 'revoked' : retired_at !== null ? 'retired' : 'active';

function keyView(key: KeyRow): RegistrarKeyView {
  const { x } = publicJwkFrom(key.public_key);
  const ended = key.revoked_at ?? key.retired_at;
  return {
    keyid: key.keyid,
    public_key: { kty: 'OKP', crv: 'Ed25519', x },
    note: key.note,
    state: stateOf(key),
    created_by: key.created_by,
    created_at: Number(key.created_at),
    ended_by: key.ended_by,
    ended_at: ended === null ? null : Number(ended),
  };
}

const recordOf = (verb: string, actor: string, keyid: string): ChangeRecord => ({
  kind: 'change',
  actor,
  change: { verb, subject: keyid, digest: null },
});
