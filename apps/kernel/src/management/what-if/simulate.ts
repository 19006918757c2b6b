// SPDX-License-Identifier: Apache-2.0
import type { Simulation, KernelRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import {
  decidePrerequisites,
  Judge,
  readFacts,
  readNamedEnvironment,
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
import { explainVerdict, compileCandidate } from './candidate-policy.ts';

/** Always returns one set, and stores the last evaluated action. */
class FixedPolicySet extends PolicySets {
  readonly #active: ActivePolicy;
  lastAction: JudgedAction | null = null;

  constructor({ active }: ReadyPolicy) {
    super();
    this.#active = { ...active, judge: (action) => active.judge((this.lastAction = action)) };
  }

  override of(): Promise<ActivePolicy> {
    return Promise.resolve(this.#active);
  }

  override lastOf(): ActivePolicy {
    return this.#active;
  }
}

/** The sources of a simulation. */
export interface SimulationSources {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly trees: Trees;
  readonly engine: PolicyEngine;
  readonly args: ArgumentsReader;
  readonly policyRepository: PolicyRepository;
}

/**
 * Simulates the decision on a call, with the judge of real calls. INVARIANT (only asked): nothing is written, reserved,
 * claimed or recorded, and the answer has no id that can be used.
 */
export class Simulate {
  readonly #sources: SimulationSources;

  constructor(sources: SimulationSources) {
    this.#sources = sources;
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.invalid`, `policy.unreadable`, `record.backlog` */
  async run({ caller, policy, document, call: asked }: KernelRequest<'policy.simulate'>): Promise<Simulation> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    const { tenants, args: reader, trees, engine, policyRepository } = this.#sources;
    const { tenant_id } = caller;
    const ready =
      document === null
        ? (await policyRepository.find(tenant_id, policy)).ready
        : await compileCandidate(policyRepository, tenant_id, document);
    const set = new FixedPolicySet(ready);
    // A fresh idempotency key, since a replay is not part of policy.
    const call: JudgedCall = {
      ...asked,
      operation_id: newId('operation'),
      tenant_id,
      idempotency_key: newId('request'),
      precondition_refs: [],
      provenance: {},
      deadline: null,
      proposed_by: caller.api_key_id,
      person: caller.person ?? null,
    };
    const args = await reader.readProposed({
      tenant_id,
      operation_id: call.operation_id,
      args: asked.args,
      args_ref: null,
    });
    const read = await readFacts(tenants, set, call);
    const facts = { ...read, ...(await readNamedEnvironment(tenants, call, args, read.tool)) };
    const judgement = await new Judge(set, trees, { tools: new ToolReader(engine.work) }).judge({
      call,
      prior: decidePrerequisites(call, facts),
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
      explanation: set.lastAction === null ? null : await explainVerdict(engine, ready, set.lastAction),
      warnings: [...ready.set.warnings],
    };
  }
}
