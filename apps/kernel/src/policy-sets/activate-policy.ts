// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type KernelRequest, type PolicyActivation } from '@writ/contract';
import type { Changes, Changed } from '../changes/index.ts';
import { requireRole, type Rows } from '../tenancy/index.ts';
import { storeSet } from './put-policy.ts';
import { activeRow, type ActivationRow, type PolicyShelf, type ReadyPolicy } from '../policies/index.ts';

interface Order {
  readonly caller: Caller;
  readonly verb: 'policy_activated' | 'policy_rolled_back';
  /** the hash that must be in force; null: whichever is */
  readonly ifActive: string | null;
  readonly note: string | null;
}

/**
 * Puts sets in force.
 * INVARIANT (one at a time): the change is made by whoever holds the tenant's rules alone. Every decision holds them while it is written and
 * asserts what it was decided under, so that none is written under a set that isn't in force, on any replica.
 */
export class ActivatePolicy {
  readonly #changes: Changes;
  readonly #shelf: PolicyShelf;

  constructor(changes: Changes, shelf: PolicyShelf) {
    this.#changes = changes;
    this.#shelf = shelf;
  }

  /** Activating what is in force changes nothing. @throws Fault `auth.role`, `not_found`, `conflict`, `policy.unreadable` */
  async run({ caller, policy, if_active, note }: KernelRequest<'policy.activate'>): Promise<PolicyActivation> {
    requireRole(caller, 'admin');
    const { ready } = await this.#shelf.find(caller.tenant_id, policy);
    const order = { caller, verb: 'policy_activated', ifActive: await this.#hashOf(caller, if_active), note } as const;
    return await this.#changes.make(caller.tenant_id, async (rows) => await this.#activate(rows, await this.#holdAlone(rows, order), ready, order));
  }

  /** Activates what was in force before; the default set where nothing was. @throws Fault `auth.role`, `conflict` where nothing was ever activated, `policy.unreadable` */
  async rollBack({ caller, if_active, note }: KernelRequest<'policy.rollback'>): Promise<PolicyActivation> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const order = { caller, verb: 'policy_rolled_back', ifActive: await this.#hashOf(caller, if_active), note } as const;
    const { newest, ready } = await this.#before(tenant_id);
    return await this.#changes.make(tenant_id, async (rows) => {
      const now = await this.#holdAlone(rows, order);
      if ((await activeRow(rows, tenant_id))?.seq !== newest.seq) throw new Fault('conflict', 'another policy set was activated meanwhile');
      return await this.#activate(rows, now, ready, order);
    });
  }

  /** The newest activation, and the set that was in force before it: compiled while nobody waits. */
  async #before(tenantId: string): Promise<{ newest: ActivationRow; ready: ReadyPolicy }> {
    const [newest, before] = await this.#shelf.newest(tenantId, 2);
    if (newest === undefined) throw new Fault('conflict', 'no policy set was ever activated, so there is none to go back to');
    return { newest, ready: before === undefined ? this.#shelf.engine.standard : await this.#shelf.stored.ready(tenantId, before.policy_hash) };
  }

  async #hashOf({ tenant_id }: Caller, ref: string | null): Promise<string | null> {
    return ref === null ? null : (await this.#shelf.find(tenant_id, ref)).ready.set.policy_hash;
  }

  /** The moment from which on nobody else decides, by the database's clock in milliseconds. */
  async #holdAlone(rows: Rows, { caller: { tenant_id }, ifActive }: Order): Promise<number> {
    await rows.$executeRaw`SELECT kernel.change_rules(${tenant_id})`;
    const { policy_hash } = await this.#shelf.active(rows, tenant_id);
    if (ifActive !== null && ifActive !== policy_hash) throw new Fault('conflict', `another policy set is in force: \`${policy_hash}\``);
    const [held] = await rows.$queryRaw<{ now: bigint }[]>`SELECT kernel.now_ms() AS now`;
    return Number(held?.now);
  }

  async #activate(rows: Rows, now: number, { set }: ReadyPolicy, { caller, verb, note }: Order): Promise<Changed<PolicyActivation>> {
    const { tenant_id, api_key_id } = caller;
    const { policy_hash } = set;
    const newest = await activeRow(rows, tenant_id);
    if (newest?.policy_hash === policy_hash) return { value: await this.#shelf.activationOf(rows, newest), records: [] };
    // A shipped set is stored too: another version of this program may ship another one under its name.
    await storeSet(rows, { tenantId: tenant_id, set, by: api_key_id, now });
    const row = { tenant_id, seq: (newest?.seq ?? 0n) + 1n, policy_hash, activated_by: api_key_id, at: BigInt(now), note };
    await rows.policy_activation.createMany({ data: [row] });
    return {
      value: await this.#shelf.activationOf(rows, row),
      records: [{ kind: 'policy', actor: api_key_id, policy_hash, change: { verb, subject: policy_hash, digest: policy_hash } }],
    };
  }
}
