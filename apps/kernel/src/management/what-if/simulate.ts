// SPDX-License-Identifier: Apache-2.0
import type { Simulation, KernelRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import {
  decideStanding,
  Judge,
  readFacts,
  readNamed,
  ToolReader,
  type ArgumentsReader,
  type JudgedCall,
} from '../../judging/judgement/index.ts';
import type { PolicyEngine, PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import { PolicySets, type ActivePolicy, type JudgedAction } from '../../judging/policies/policy-sets.ts';
import { newId } from '@writ/nest-kit';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { Trees } from '../../foundation/workspace/trees.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { explain, readyCandidate } from './asked-of.ts';

/** One set for whoever asks, which remembers what it was asked. */
class OneSet extends PolicySets {
  readonly #active: ActivePolicy;
  asked: JudgedAction | null = null;

  constructor({ active }: ReadyPolicy) {
    super();
    this.#active = { ...active, judge: (action) => active.judge((this.asked = action)) };
  }

  override of(): Promise<ActivePolicy> {
    return Promise.resolve(this.#active);
  }

  override lastOf(): ActivePolicy {
    return this.#active;
  }
}

/** What a simulation reads from. */
export interface SimulationSources {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly trees: Trees;
  readonly engine: PolicyEngine;
  readonly args: ArgumentsReader;
  readonly shelf: PolicyRepository;
}

/**
 * Says what would become of a call, by the judge that decides calls. INVARIANT (only asked): nothing is written,
 * reserved, claimed or recorded, and the answer has no id that anything could be done with.
 */
export class Simulate {
  readonly #from: SimulationSources;

  constructor(from: SimulationSources) {
    this.#from = from;
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.invalid`, `policy.unreadable`, `record.backlog` */
  async run({ caller, policy, document, call: asked }: KernelRequest<'policy.simulate'>): Promise<Simulation> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenants, args: reader, trees, engine, shelf } = this.#from;
    const { tenant_id } = caller;
    const ready =
      document === null
        ? (await shelf.find(tenant_id, policy)).ready
        : await readyCandidate(shelf, tenant_id, document);
    const set = new OneSet(ready);
    // A key that nobody claims: what a used one would answer is no question of policy.
    const call: JudgedCall = {
      ...asked,
      operation_id: newId('operation'),
      tenant_id,
      idempotency_key: newId('request'),
      precondition_refs: [],
      provenance: {},
      deadline: null,
      proposed_by: caller.api_key_id,
    };
    const args = await reader.sent({ tenant_id, operation_id: call.operation_id, args: asked.args, args_ref: null });
    const facts = { ...(await readFacts(tenants, set, call)), ...(await readNamed(tenants, call, args)) };
    const judgement = await new Judge(set, trees, { tools: new ToolReader(engine.work) }).judge({
      call,
      prior: decideStanding(call, facts),
      facts,
      args,
      approval: null,
    });
    const { refusal } = judgement;
    return {
      simulated: true,
      would_be: judgement.verdict,
      error: refusal === null ? null : { code: refusal.code, message: refusal.message, hint: refusal.hint ?? null },
      autonomy_mode: judgement.autonomy_mode,
      risk_score: judgement.risk_score,
      risk_basis: [...judgement.risk_basis],
      reasons: [...judgement.reasons],
      approvers: judgement.approvers,
      labels: [...facts.rules.labels],
      explanation: set.asked === null ? null : await explain(engine, ready, set.asked),
      warnings: [...ready.set.warnings],
    };
  }
}
