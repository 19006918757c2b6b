// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inTenant } from '@writ/database';
import { PolicySetError, type PolicyTool } from '@writ/policy';
import { LRUCache } from 'lru-cache';
import { PolicySets, type ActivePolicy } from './policy-sets.ts';
import { readPolicyTools } from '../definitions/tenant-tools.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ProposedPolicy } from './check-policy.ts';
import type { PolicyEngine, ReadyPolicy } from './policy-engine.ts';

/** Compiled sets in memory. One of a hundred rules takes some hundreds of KB. */
const COMPILED_MAX = 256;
/** Tenants whose newest set is cached by its hash: a few MB. */
const TENANTS_MAX = 20_000;

/**
 * The sets that tenants have stored, each compiled once and cached by its hash: the hash determines the set, whichever
 * tenant stored it. INVARIANT (what the hash is of): a stored document that no longer has its hash, since the schema of
 * rules has another meaning by now, is never evaluated. Nor is one that doesn't fit the existing tools.
 */
export class StoredPolicySets extends PolicySets {
  readonly #engine: PolicyEngine;
  readonly #tenants: TenantPool;
  readonly #compiled = new LRUCache<string, ReadyPolicy>({ max: COMPILED_MAX });
  /** compilations under way: a second request for the same set waits for the same one */
  readonly #pending = new Map<string, Promise<ReadyPolicy>>();
  readonly #last = new LRUCache<string, ActivePolicy>({ max: TENANTS_MAX });

  constructor(engine: PolicyEngine, tenants: TenantPool) {
    super();
    this.#engine = engine;
    this.#tenants = tenants;
  }

  override async of(tenantId: string, activated: string | null): Promise<ActivePolicy> {
    const { active } = activated === null ? this.#engine.standard : await this.ready(tenantId, activated);
    this.#last.set(tenantId, active);
    return active;
  }

  override lastOf(tenantId: string): ActivePolicy {
    return this.#last.get(tenantId) ?? this.#engine.standard.active;
  }

  /**
   * The set of the hash, shipped or stored by the tenant. Callers MUST know that the tenant has it: a compiled set is
   * returned to any caller.
   * @throws Fault `not_found` where it is neither, `policy.unreadable`
   */
  async ready(tenantId: string, hash: string): Promise<ReadyPolicy> {
    const shipped = [...this.#engine.shipped.values()].find(({ set }) => set.policy_hash === hash);
    const cached = shipped ?? this.#compiled.get(hash);
    if (cached !== undefined) return cached;
    const pending = this.#pending.get(hash) ?? this.#read(tenantId, hash).finally(() => this.#pending.delete(hash));
    this.#pending.set(hash, pending);
    return await pending;
  }

  /** The tools that sets of the tenant are checked against, with the types of their arguments. */
  async tools(tenantId: string): Promise<PolicyTool[]> {
    return await readPolicyTools(this.#tenants, tenantId);
  }

  async #read(tenantId: string, hash: string): Promise<ReadyPolicy> {
    const rows = await inTenant(
      this.#tenants.pool,
      tenantId,
      async (client) =>
        (
          await client.query<{ document: Record<string, unknown> }>(
            'SELECT document FROM kernel.policy_set WHERE policy_hash = $1',
            [hash],
          )
        ).rows,
      { readOnly: true },
    );
    if (rows[0] === undefined) throw new Fault('not_found', 'there is no such policy set');
    const ready = this.#engine.ready(
      await this.#compile(tenantId, hash, {
        document: rows[0].document,
        tools: await this.tools(tenantId),
        age: 'stored',
      }),
    );
    this.#compiled.set(hash, ready);
    return ready;
  }

  async #compile(tenantId: string, hash: string, proposed: ProposedPolicy) {
    try {
      const set = await this.#engine.compile(tenantId, proposed);
      if (set.policy_hash === hash) return set;
    } catch (cause) {
      // It passed the check when it was stored, so the machine is busy now.
      if (cause instanceof Fault && cause.code === 'limit.exceeded')
        throw new Fault('overloaded', 'the policy set in force could not be read in time: try again later', { cause });
      if (!(cause instanceof PolicySetError)) throw cause;
      throw new Fault('policy.unreadable', undefined, { cause });
    }
    throw new Fault('policy.unreadable');
  }
}
