// SPDX-License-Identifier: Apache-2.0
import { Fault, SECRETS_MAX, type KernelRequest, type SecretView } from '@writ/contract';
import { requireMatch } from '@writ/nest-kit';
import { secretContext, type HpkeBox } from '@writ/sealing';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import { fittedPage, parseCursor } from '../../foundation/database/cursor.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { ListPage } from '@writ/paging';
import {
  callIn,
  requireFound,
  newestFirst,
  plainRow,
  requireRole,
  rowsAfter,
  type Rows,
  type Tenancy,
} from '../../foundation/tenancy/index.ts';
import { openSealed } from '../../execution/values/index.ts';

const COLUMNS = { name: true, version: true, note: true, created_by: true, created_at: true } as const;
/** Maximum number of tries to store one value, each because somebody else stored one of the same name. */
const SETS_MAX = 5;
/** NUL ends a text, so no environment variable can contain it. */
const NUL = 0;

/** Manages the tenant's secrets. INVARIANT (write-only): a value can be written here, and no caller can read it. */
export class Secrets {
  readonly #tenancy: Tenancy;
  readonly #changes: Changes;
  readonly #vault: TenantVault;
  readonly #hpkeBox: HpkeBox;

  constructor(tenancy: Tenancy, changes: Changes, vault: TenantVault, box: HpkeBox) {
    this.#tenancy = tenancy;
    this.#changes = changes;
    this.#vault = vault;
    this.#hpkeBox = box;
  }

  /**
   * Sets a value, the first of its name or the next.
   * @throws Fault `auth.role`, `request.malformed`, `precondition.failed`, `limit.exceeded`, `overloaded`
   */
  async set({ caller, name, value, note, if_match }: KernelRequest<'secret.set'>): Promise<SecretView> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const clear = await openSealed(this.#hpkeBox, value, secretContext(tenant_id, name), 'secret');
    if (clear.includes(NUL)) throw new Fault('request.malformed', 'a value has no NUL', { pointer: '/value' });
    for (let times = 0; times < SETS_MAX; times++) {
      try {
        return await this.#set(caller, { name, note, if_match }, clear);
      } catch (error) {
        if (!mustDecideAgain(error)) throw error;
      }
    }
    throw new Fault('overloaded', 'others kept storing the same secret');
  }

  /** Newest first. @throws Fault `auth.role`, `request.malformed` */
  async list({ caller, page }: KernelRequest<'secret.list'>): Promise<ListPage<SecretView>> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenant_id } = caller;
    const position = parseCursor(page.cursor);
    // Cursors are in lower case, and names in upper case.
    const where = { ...rowsAfter({ ...position, id: position.id.toUpperCase() }, 'name'), tenant_id };
    const secrets = await this.#tenancy.within(tenant_id, (rows) =>
      rows.secret.findMany({ where, orderBy: newestFirst('name'), take: page.limit + 1, select: COLUMNS }),
    );
    return fittedPage(secrets.map(plainRow), page.limit, ({ created_at, name }) => ({
      created_at,
      id: name.toLowerCase(),
    }));
  }

  /** @throws Fault `auth.role`, `not_found` */
  async read({ caller, name }: KernelRequest<'secret.read'>): Promise<SecretView> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireStorable(name);
    const { tenant_id } = caller;
    return requireFound(await this.#tenancy.within(tenant_id, (rows) => secretNamed(rows, tenant_id, name)));
  }

  /** Removes a secret with its value. @throws Fault `auth.role`, `not_found`, `precondition.failed` */
  async remove({ caller, name, if_match }: KernelRequest<'secret.remove'>): Promise<SecretView> {
    requireRole(caller, 'admin');
    requireStorable(name);
    const { tenant_id, api_key_id: actor } = caller;
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockSecret(rows, tenant_id, name);
      const secret = requireFound(await secretNamed(rows, tenant_id, name));
      requireMatch(if_match, secret);
      await rows.secret.deleteMany({ where: { tenant_id, name } });
      return {
        value: secret,
        records: [{ kind: 'change', actor, change: { verb: 'secret_removed', subject: name, digest: null } }],
      };
    });
  }

  async #set(
    { tenant_id, api_key_id: created_by }: KernelRequest<'secret.set'>['caller'],
    { name, note, if_match }: Pick<KernelRequest<'secret.set'>, 'name' | 'note' | 'if_match'>,
    clear: Buffer,
  ): Promise<SecretView> {
    const box = await this.#vault.cipherFor(tenant_id);
    return await this.#changes.make(tenant_id, async (rows) => {
      await lockSecret(rows, tenant_id, name);
      if (if_match !== undefined) requireMatch(if_match, await secretNamed(rows, tenant_id, name));
      const [row] = await rows.$queryRaw<{ version: number; others: bigint }[]>`
        SELECT kernel.next_secret_version(${tenant_id}, ${name}) AS version, (SELECT count(DISTINCT s.name) FROM kernel.secret s WHERE s.name <> ${name}) AS others`;
      if (Number(row?.others) >= SECRETS_MAX)
        throw new Fault('limit.exceeded', `a tenant has at most ${String(SECRETS_MAX)} secrets`);
      const version = row?.version ?? 1;
      const sealed = box.sealValue('secret', [name, String(version)], clear).toString('base64');
      await callIn(rows, kernelSql.putSecret, {
        tenant: tenant_id,
        p: { name, version, sealed, key_id: box.keyId, note, created_by },
      });
      // The digest doesn't cover the value, since a short value could be guessed from it.
      const change = { verb: 'secret_set', subject: name, digest: contentDigest({ name, version, note }) };
      return {
        value: requireFound(await secretNamed(rows, tenant_id, name)),
        records: [{ kind: 'change', actor: created_by, change }],
      };
    });
  }
}

/** No name contains NUL, and the database rejects NUL in a query. @throws Fault `not_found` */
function requireStorable(name: string): void {
  if (name.includes('\0')) throw new Fault('not_found');
}

/** Serializes changes of one secret, so that a condition is compared with what the change replaces. */
async function lockSecret(rows: Rows, tenantId: string, name: string): Promise<void> {
  await rows.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('writ.secret.' || ${tenantId} || ${name}, 0))::text`;
}

async function secretNamed(rows: Rows, tenant_id: string, name: string): Promise<SecretView | null> {
  const row = await rows.secret.findFirst({
    where: { tenant_id, name },
    orderBy: { version: 'desc' },
    select: COLUMNS,
  });
  return row === null ? null : plainRow(row);
}
