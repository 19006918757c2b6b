// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, PolicyReplay, ReplayedCall } from '@writ/contract';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { compareVerdicts } from './compare-verdicts.ts';
import { compileCandidate } from './candidate-policy.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

/**
 * Evaluates a set on earlier calls, in the order in which they are named. INVARIANT (only asked): nothing is written,
 * as in a simulation. For a call with erased arguments, the answer states only that.
 */
export class ReplayCalls {
  readonly #calls: RecordedCalls;
  readonly #repository: PolicyRepository;

  constructor(calls: RecordedCalls, repository: PolicyRepository) {
    this.#calls = calls;
    this.#repository = repository;
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.invalid`, `policy.unreadable` */
  async run({ caller, policy, document, calls }: KernelRequest<'policy.replay'>): Promise<PolicyReplay> {
    requireRole(caller, 'admin', 'operator');
    const { tenant_id } = caller;
    const candidate =
      document === null
        ? (await this.#repository.find(tenant_id, policy)).ready
        : await compileCandidate(this.#repository, tenant_id, document);
    const items: PolicyReplay['items'] = [];
    for (const call of await this.#calls.findNamed(tenant_id, calls))
      items.push(call === null ? null : await this.#replayed(call, candidate));
    const { name, enforcement } = candidate.set.document;
    return { candidate: { policy_hash: candidate.set.policy_hash, name, enforcement }, items };
  }

  async #replayed(call: RecordedCall, candidate: ReadyPolicy): Promise<ReplayedCall> {
    const { operation_id, tool_id } = call.operation;
    const verdicts = await compareVerdicts(this.#calls, this.#repository, call, candidate);
    return {
      operation_id,
      tool_id,
      ...(typeof verdicts === 'string'
        ? { was: null, would_be: null, why_not: verdicts }
        : { ...verdicts, why_not: null }),
    };
  }
}
