// SPDX-License-Identifier: Apache-2.0
import type { KernelRequest, PolicyReplay, ReplayedCall } from '@writ/contract';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import { requireRole } from '../../foundation/tenancy/index.ts';
import { askBoth } from './ask-both.ts';
import { readyCandidate } from './asked-of.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

/**
 * Asks a set about calls that were made before, one by one as they are named. INVARIANT (only asked): as a
 * simulation's; of a call whose arguments were erased it is said that they were, and nothing else.
 */
export class ReplayCalls {
  readonly #calls: RecordedCalls;
  readonly #shelf: PolicyRepository;

  constructor(calls: RecordedCalls, shelf: PolicyRepository) {
    this.#calls = calls;
    this.#shelf = shelf;
  }

  /** @throws Fault `auth.role`, `not_found`, `policy.invalid`, `policy.unreadable` */
  async run({ caller, policy, document, calls }: KernelRequest<'policy.replay'>): Promise<PolicyReplay> {
    requireRole(caller, 'admin', 'operator');
    const { tenant_id } = caller;
    const candidate =
      document === null
        ? (await this.#shelf.find(tenant_id, policy)).ready
        : await readyCandidate(this.#shelf, tenant_id, document);
    const items: PolicyReplay['items'] = [];
    for (const call of await this.#calls.named(tenant_id, calls))
      items.push(call === null ? null : await this.#replayed(call, candidate));
    const { name, enforcement } = candidate.set.document;
    return { candidate: { policy_hash: candidate.set.policy_hash, name, enforcement }, items };
  }

  async #replayed(call: RecordedCall, candidate: ReadyPolicy): Promise<ReplayedCall> {
    const { operation_id, tool_id } = call.operation;
    const asked = await askBoth(this.#calls, this.#shelf, call, candidate);
    return {
      operation_id,
      tool_id,
      ...(typeof asked === 'string' ? { was: null, would_be: null, why_not: asked } : { ...asked, why_not: null }),
    };
  }
}
