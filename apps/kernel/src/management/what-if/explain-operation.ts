// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationExplanation } from '@writ/contract';
import type { PolicyRepository } from '../../judging/policies/index.ts';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import { explainVerdict } from './candidate-policy.ts';
import type { RecordedCalls } from './recorded-calls.ts';

/** Explains the decision on an operation. It evaluates the set that decided and the active set on the recorded call. */
export class ExplainOperation {
  readonly #calls: RecordedCalls;
  readonly #repository: PolicyRepository;

  constructor(calls: RecordedCalls, repository: PolicyRepository) {
    this.#calls = calls;
    this.#repository = repository;
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.unreadable` */
  async run({ caller, operation_id }: KernelRequest<'operation.explain'>): Promise<OperationExplanation> {
    requireRole(caller, 'admin', 'operator', 'auditor');
    requireId('operation', operation_id);
    const call = await this.#calls.find(caller.tenant_id, operation_id);
    if (call === null) throw new Fault('not_found');
    const { policy_hash } = call.operation;
    const none = { operation_id, policy_hash, asked: false, then: null, now: null, alike: null };
    const action = await this.#calls.actionOf(call);
    if (typeof action === 'string') return { ...none, why_not: action };
    const { engine } = this.#repository;
    const [decided, inForce] = [
      await this.#repository.findDecided(caller.tenant_id, policy_hash),
      (await this.#repository.find(caller.tenant_id, null)).ready,
    ];
    const then =
      decided === null
        ? null
        : await explainVerdict(engine, decided, await this.#calls.withCounts(action, decided, call.operation));
    const now = await explainVerdict(engine, inForce, await this.#calls.withCounts(action, inForce, call.operation));
    return {
      ...none,
      asked: true,
      then,
      now,
      alike: then === null || now === null ? null : then.mode === now.mode,
      why_not: then === null ? 'this version no longer supports the set that decided' : null,
    };
  }
}
