// SPDX-License-Identifier: Apache-2.0
import { Fault, type PolicyActivation, type PolicySetView } from '@writ/contract';
import type { PolicyEngine, ReadyPolicy } from './policy-engine.ts';
import type { StoredPolicySets } from './stored-policy-sets.ts';
import type { Rows, Tenancy } from '../../foundation/tenancy/index.ts';

/** A row of kernel.policy_set without its document. */
export type SetRow = Pick<PolicySetView, 'policy_hash' | 'name'> & {
  readonly version: number;
  readonly created_by: string;
  readonly created_at: bigint;
};

/** A set that was found, shipped or stored. */
export interface FoundSet {
  readonly ready: ReadyPolicy;
  /** null for a shipped set that the tenant hasn't stored by activating it */
  readonly row: SetRow | null;
}

const HASH = /^[0-9a-f]{64}$/;
const COLUMNS = { policy_hash: true, name: true, version: true, created_by: true, created_at: true } as const;

/** Finds the policy sets that a tenant can name, its own and the shipped ones, and returns which is in force. */
export class PolicyRepository {
  readonly #engine: PolicyEngine;
  readonly #stored: StoredPolicySets;
  readonly #tenancy: Tenancy;

  constructor(engine: PolicyEngine, stored: StoredPolicySets, tenancy: Tenancy) {
    this.#engine = engine;
    this.#stored = stored;
    this.#tenancy = tenancy;
  }

  get engine(): PolicyEngine {
    return this.#engine;
  }

  get stored(): StoredPolicySets {
    return this.#stored;
  }

  /**
   * The set that a hash, a name or `name@version` means; null: the one in force.
   * @throws Fault `not_found`, `policy.unreadable`
   */
  async find(tenantId: string, ref: string | null): Promise<FoundSet> {
    const shipped =
      ref === null
        ? undefined
        : [...this.#engine.shipped.values()].find(({ set }) => ref === set.policy_hash || ref === set.document.name);
    const row = await this.#tenancy.within(tenantId, async (rows) => {
      const hash =
        ref === null ? (await activeRow(rows, tenantId))?.policy_hash : HASH.test(ref) ? ref : shipped?.set.policy_hash;
      if (hash !== undefined)
        return await rows.policy_set.findUnique({
          where: { tenant_id_policy_hash: { tenant_id: tenantId, policy_hash: hash } },
          select: COLUMNS,
        });
      return ref === null ? null : await byName(rows, tenantId, ref);
    });
    if (row !== null) return { ready: await this.#stored.ready(tenantId, row.policy_hash), row };
    if (ref === null) return { ready: this.#engine.standard, row: null };
    if (shipped !== undefined) return { ready: shipped, row: null };
    throw new Fault('not_found', 'there is no such policy set');
  }

  /** The set under which a call of the tenant was decided; null where it can't be found any more. */
  async findDecided(tenantId: string, hash: string): Promise<ReadyPolicy | null> {
    try {
      return (await this.find(tenantId, hash)).ready;
    } catch (error) {
      if (error instanceof Fault && (error.code === 'not_found' || error.code === 'policy.unreadable')) return null;
      throw error;
    }
  }

  /** The newest activations, the newest first. */
  async newest(tenantId: string, limit: number): Promise<ActivationRow[]> {
    return await this.#tenancy.within(tenantId, (rows) =>
      rows.policy_activation.findMany({ where: { tenant_id: tenantId }, orderBy: { seq: 'desc' }, take: limit }),
    );
  }

  /** The policy in force, the newest activation of all (null: none), and the database's clock in milliseconds. */
  async inForce(tenantId: string): Promise<{ active: PolicyActivation; newest: ActivationRow | null; now: number }> {
    return await this.#tenancy.within(tenantId, async (rows, now) => {
      // Read once: another set may be activated between two readings, and the set that is checked must be the one
      // asserted.
      const newest = await activeRow(rows, tenantId);
      return { active: await this.#activeOf(rows, newest), newest, now };
    });
  }

  /** The policy in force; `rows` within a transaction. */
  async active(rows: Rows, tenantId: string): Promise<PolicyActivation> {
    return await this.#activeOf(rows, await activeRow(rows, tenantId));
  }

  async #activeOf(rows: Rows, row: ActivationRow | null): Promise<PolicyActivation> {
    if (row !== null) return await this.activationOf(rows, row);
    const { set } = this.#engine.standard;
    return {
      policy_hash: set.policy_hash,
      name: set.document.name,
      version: null,
      enforcement: set.document.enforcement,
      seq: 0,
      activated_by: null,
      at: null,
      note: null,
    };
  }

  async activationOf(
    rows: Rows,
    { tenant_id, policy_hash, seq, activated_by, at, note }: ActivationRow,
  ): Promise<PolicyActivation> {
    const set = await rows.policy_set.findUniqueOrThrow({
      where: { tenant_id_policy_hash: { tenant_id, policy_hash } },
    });
    return {
      policy_hash,
      name: set.name,
      version: set.version,
      enforcement: enforcementOf(set.document),
      seq: Number(seq),
      activated_by,
      at: Number(at),
      note,
    };
  }
}

export interface ActivationRow {
  readonly tenant_id: string;
  readonly policy_hash: string;
  readonly seq: bigint;
  readonly activated_by: string;
  readonly at: bigint;
  readonly note: string | null;
}

/** The newest activation. */
export async function activeRow(rows: Rows, tenantId: string): Promise<ActivationRow | null> {
  return await rows.policy_activation.findFirst({ where: { tenant_id: tenantId }, orderBy: { seq: 'desc' } });
}

async function byName(rows: Rows, tenantId: string, ref: string): Promise<SetRow | null> {
  const [name = '', version] = ref.split('@');
  const which = version === undefined ? {} : { version: Number(version) };
  return await rows.policy_set.findFirst({
    where: { tenant_id: tenantId, name, ...which },
    orderBy: { version: 'desc' },
    select: COLUMNS,
  });
}

/** Stored documents are complete: their enforcement is one of two words. */
export const enforcementOf = (document: unknown): 'enforce' | 'observe' =>
  (document as { enforcement: unknown }).enforcement === 'observe' ? 'observe' : 'enforce';

/** A set as it is listed. */
export function viewOf({ ready: { set }, row }: FoundSet, activeHash: string, engine: PolicyEngine): PolicySetView {
  const { name, description, enforcement } = set.document;
  return {
    policy_hash: set.policy_hash,
    name,
    version: row?.version ?? null,
    description,
    enforcement,
    active: set.policy_hash === activeHash,
    shipped: [...engine.shipped.values()].some((each) => each.set.policy_hash === set.policy_hash),
    created_by: row?.created_by ?? null,
    created_at: row === null ? null : Number(row.created_at),
  };
}
