// SPDX-License-Identifier: Apache-2.0
import { Fault, principalOf, type Caller, type KernelRequest, type PolicyActivation } from '@writ/contract';
import { problemText } from '@writ/policy';
import { currentTrace } from '@writ/telemetry';
import { postable } from '../../judging/judgement/index.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import { composeRecord, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { isAgain } from '../../foundation/database/kernel-errors.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { enforcementOf, type PolicyRepository, type ReadyPolicy } from '../../judging/policies/index.ts';

/** Times that others may activate something first. */
const TRIES_MAX = 5;

/** What activations are made with. */
export interface ActivationParts {
  readonly tenants: TenantPool;
  readonly sealer: RecordSealer;
  readonly outbox: Outbox;
}

interface Order {
  readonly caller: Caller;
  readonly verb: 'policy_activated' | 'policy_rolled_back';
  readonly note: string | null;
}

/**
 * Puts sets in force. INVARIANT (one at a time): the change is made by whoever holds the tenant's rules alone. Every
 * decision holds them while it is written and asserts what it was decided under, so that none is written under a set
 * that isn't in force, on any replica. They are held for one statement: all that can be read, compiled or signed before
 * is.
 */
export class ActivatePolicy {
  readonly #parts: ActivationParts;
  readonly #shelf: PolicyRepository;

  constructor(parts: ActivationParts, shelf: PolicyRepository) {
    this.#parts = parts;
    this.#shelf = shelf;
  }

  /**
   * Activating what is in force changes nothing.
   * @throws Fault `auth.role`, `not_found`, `conflict`, `policy.invalid` for rules that can never apply,
   * `policy.unreadable`, `overloaded`
   */
  async run(request: KernelRequest<'policy.activate'>): Promise<PolicyActivation> {
    const { caller, policy, if_active, note, allow_impossible = false } = request;
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const { ready } = await this.#shelf.find(tenant_id, policy);
    const ifActive = await this.#hashOf(caller, if_active);
    for (let times = 0; times < TRIES_MAX; times++) {
      const { active, newest, now } = await this.#shelf.inForce(tenant_id);
      requireActive(ifActive, active);
      if (newest?.policy_hash === ready.set.policy_hash) return active;
      if (!allow_impossible) requirePossible(ready);
      const activated = await this.#activate({ caller, verb: 'policy_activated', note }, ready, newest?.seq ?? 0n, now);
      if (activated !== null) return activated;
    }
    throw new Fault('overloaded', 'others kept activating policy sets');
  }

  /**
   * Activates what was in force before; the default set where nothing was.
   * @throws Fault `auth.role`, `conflict` where nothing was ever activated, `policy.unreadable`
   */
  async rollBack({ caller, if_active, note }: KernelRequest<'policy.rollback'>): Promise<PolicyActivation> {
    requireRole(caller, 'admin');
    const { tenant_id } = caller;
    const ifActive = await this.#hashOf(caller, if_active);
    const [newest, before] = await this.#shelf.newest(tenant_id, 2);
    if (newest === undefined)
      throw new Fault('conflict', 'no policy set was ever activated, so there is none to go back to');
    const ready =
      before === undefined
        ? this.#shelf.engine.standard
        : await this.#shelf.stored.ready(tenant_id, before.policy_hash);
    const { active, now } = await this.#shelf.inForce(tenant_id);
    requireActive(ifActive, active);
    const activated = await this.#activate({ caller, verb: 'policy_rolled_back', note }, ready, newest.seq, now);
    if (activated === null) throw new Fault('conflict', 'another policy set was activated meanwhile');
    return activated;
  }

  async #hashOf({ tenant_id }: Caller, ref: string | null): Promise<string | null> {
    return ref === null ? null : (await this.#shelf.find(tenant_id, ref)).ready.set.policy_hash;
  }

  /** Null where another set was activated since the activation `seen`: then nothing was written. */
  async #activate(
    { caller, verb, note }: Order,
    { set }: ReadyPolicy,
    seen: bigint,
    now: number,
  ): Promise<PolicyActivation | null> {
    const { tenant_id, api_key_id } = caller;
    const { policy_hash, document } = set;
    const { tenants, outbox } = this.#parts;
    const record = this.#record(caller, verb, policy_hash, now);
    const order = {
      seen: Number(seen),
      policy_hash,
      name: document.name,
      document,
      note,
      activated_by: api_key_id,
      activated_as: principalOf(caller),
      record: postable(record),
    };
    try {
      const { activation, name, version } = await kernelSql.activatePolicy(tenants.pool, {
        tenant: tenant_id,
        p: order,
      });
      outbox.hand([record]);
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
      if (isAgain(error)) return null;
      throw error;
    }
  }

  #record({ tenant_id, api_key_id }: Caller, verb: Order['verb'], policyHash: string, now: number): SealedRecord {
    return this.#parts.sealer.seal(
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
 * A rule that can never apply protects nothing, and whoever wrote it thinks otherwise.
 * @throws Fault `policy.invalid`
 */
function requirePossible({ set: { impossible } }: ReadyPolicy): void {
  const [first] = impossible;
  if (first === undefined) return;
  const more = impossible.length === 1 ? '' : `, and ${String(impossible.length - 1)} more`;
  throw new Fault('policy.invalid', `${problemText(first)}${more}`);
}
