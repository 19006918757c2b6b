// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type Caller, type KernelRequest, type PolicyActivation } from '@writ/contract';
import { groupsNamedIn, problemText } from '@writ/policy';
import { currentTrace } from '@writ/telemetry';
import { postable } from '../../judging/judgement/index.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import { composeRecord, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { enforcementOf, type PolicyRepository, type ReadyPolicy } from '../../judging/policies/index.ts';

/** Maximum number of tries, each because others activated a set first. */
const TRIES_MAX = 5;

/** Collaborators of activations. */
export interface ActivationDependencies {
  readonly tenants: TenantPool;
  readonly sealer: RecordSealer;
  readonly outbox: Outbox;
}

interface ActivationRequest {
  readonly caller: Caller;
  readonly verb: 'policy_activated' | 'policy_rolled_back';
  readonly note: string | null;
}

/**
 * Activates policy sets. INVARIANT (one at a time): a change needs the exclusive lock on the tenant's rules. Every
 * decision holds a shared lock on them while it is written, and asserts the rules that it was decided under. So no
 * replica writes a decision under a set that isn't active. The exclusive lock is held for one statement: reading,
 * compiling and signing happen before.
 */
export class ActivatePolicy {
  readonly #dependencies: ActivationDependencies;
  readonly #repository: PolicyRepository;

  constructor(dependencies: ActivationDependencies, repository: PolicyRepository) {
    this.#dependencies = dependencies;
    this.#repository = repository;
  }

  /**
   * Activating the active set changes nothing.
   * @throws Fault `auth.role`, `not_found`, `conflict`, `policy.invalid` for rules that can never apply and
   * unknown groups, `policy.unreadable`, `overloaded`
   */
  async run(request: KernelRequest<'policy.activate'>): Promise<PolicyActivation> {
    const { caller, policy, if_active, note, allow_impossible = false } = request;
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const { ready } = await this.#repository.find(tenant_id, policy);
    const ifActive = await this.#hashOf(caller, if_active);
    for (let times = 0; times < TRIES_MAX; times++) {
      const { active, newest, now } = await this.#repository.inForce(tenant_id);
      requireActive(ifActive, active);
      if (newest?.policy_hash === ready.set.policy_hash) return active;
      if (!allow_impossible) requirePossible(ready);
      await this.#requireGroups(caller, ready);
      const activated = await this.#activate({ caller, verb: 'policy_activated', note }, ready, newest?.seq ?? 0n, now);
      if (activated !== null) return activated;
    }
    throw new Fault('overloaded', 'others kept activating policy sets');
  }

  /**
   * Activates the previously active set, or the default set where there is none.
   * @throws Fault `auth.role`, `conflict` where nothing was ever activated, `policy.unreadable`
   */
  async rollBack({ caller, if_active, note }: KernelRequest<'policy.rollback'>): Promise<PolicyActivation> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const ifActive = await this.#hashOf(caller, if_active);
    const [newest, previous] = await this.#repository.newest(tenant_id, 2);
    if (newest === undefined)
      throw new Fault('conflict', 'no policy set was ever activated, so there is none to go back to');
    const ready =
      previous === undefined
        ? this.#repository.engine.standard
        : await this.#repository.stored.ready(tenant_id, previous.policy_hash);
    const { active, now } = await this.#repository.inForce(tenant_id);
    requireActive(ifActive, active);
    await this.#requireGroups(caller, ready);
    const activated = await this.#activate({ caller, verb: 'policy_rolled_back', note }, ready, newest.seq, now);
    if (activated === null) throw new Fault('conflict', 'another policy set was activated meanwhile');
    return activated;
  }

  /**
   * INVARIANT (unknown means refused): a set that reserves approvals for a group that isn't there would be approved by
   * nobody. The statement asserts the same, since a group may be removed meanwhile.
   * @throws Fault `policy.invalid`
   */
  async #requireGroups({ tenant_id }: Caller, { set }: ReadyPolicy): Promise<void> {
    const names = groupsNamedIn(set);
    if (names.length === 0) return;
    const missing = await kernelSql.unknownGroups(this.#dependencies.tenants.pool, { tenant: tenant_id, names });
    if (missing.length === 0) return;
    const named = missing.map((name) => `\`${name}\``).join(', ');
    throw new Fault(
      'policy.invalid',
      `the set names approver groups that don't exist: ${named}; make them first (\`writ approver-group set\`)`,
    );
  }

  async #hashOf({ tenant_id }: Caller, ref: string | null): Promise<string | null> {
    return ref === null ? null : (await this.#repository.find(tenant_id, ref)).ready.set.policy_hash;
  }

  /** Null where another set was activated since the activation `seen`: then nothing was written. */
  async #activate(
    { caller, verb, note }: ActivationRequest,
    { set }: ReadyPolicy,
    seen: bigint,
    now: number,
  ): Promise<PolicyActivation | null> {
    const { tenant_id, api_key_id } = caller;
    const { policy_hash, document } = set;
    const { tenants, outbox } = this.#dependencies;
    const record = this.#record(caller, verb, policy_hash, now);
    const change = {
      seen: Number(seen),
      policy_hash,
      name: document.name,
      document,
      note,
      groups: groupsNamedIn(set),
      activated_by: api_key_id,
      activated_as: principalOf(caller),
      record: postable(record),
    };
    try {
      const { activation, name, version } = await kernelSql.activatePolicy(tenants.pool, {
        tenant: tenant_id,
        p: change,
      });
      outbox.enqueue([record]);
      const { seq, activated_by, at } = activation;
      return {
        policy_hash,
        name,
        version,
        enforcement: enforcementOf(document),
        seq,
        activated_by,
        at,
        note: activation.note,
      };
    } catch (error) {
      if (mustDecideAgain(error)) return null;
      throw error;
    }
  }

  #record(
    { tenant_id, api_key_id }: Caller,
    verb: ActivationRequest['verb'],
    policyHash: string,
    now: number,
  ): SealedRecord {
    return this.#dependencies.sealer.seal(
      composeRecord({
        ...currentTrace(),
        kind: 'policy',
        tenant_id,
        recorded_at: now,
        actor: api_key_id,
        policy_hash: policyHash,
        change: { verb, subject: policyHash, digest: policyHash },
      }),
      { actionDigest: null, newRoot: null },
    );
  }
}

function requireActive(wanted: string | null, { policy_hash }: PolicyActivation): void {
  if (wanted !== null && wanted !== policy_hash)
    throw new Fault('conflict', `another policy set is in force: \`${policy_hash}\``);
}

/**
 * A rule that can never apply protects nothing, although its author thinks it does.
 * @throws Fault `policy.invalid`
 */
function requirePossible({ set: { impossible } }: ReadyPolicy): void {
  const [first] = impossible;
  if (first === undefined) return;
  const more = impossible.length === 1 ? '' : `, and ${String(impossible.length - 1)} more`;
  throw new Fault('policy.invalid', `${problemText(first)}${more}`);
}
