// SPDX-License-Identifier: Apache-2.0
import { Fault, TOOLS, type FaultCode, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { decideEffect } from '@writ/capability';
import { endingFault, type EndingFault } from '../endings/index.ts';
import type { TenantVault } from '../payload/index.ts';
import type { PolicySets } from '../ports/index.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import { callArguments } from './call-arguments.ts';
import { decideEffectPolicy } from './decide-effect-policy.ts';
import { reportedFault } from './reported-fault.ts';
import { readStagedEffect, verifyContents, type StagedEffect } from './staged-effect.ts';

/** What the check says of a report: what it stages, null where that can't even be read, and why it mustn't commit, null where it may. */
export interface CheckedEffect {
  readonly staged: StagedEffect | null;
  readonly fault: EndingFault | null;
}

/** What a report can be wrong in. Any other fault is our own store's, and then the executor asks again. */
const OF_THE_EFFECT: ReadonlySet<FaultCode> = new Set<FaultCode>(['effect.invalid', 'limit.exceeded']);

/**
 * Checks an effect as the arguments were checked.
 * INVARIANT (no unchecked effect): a delta is committed only after it was found well-formed, of the attempt's snapshot, within the write roots of every token
 * of the chain, and permitted by the policy in force.
 */
export class EffectCheck {
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #policies: PolicySets;

  constructor(blobs: BlobStore, vault: TenantVault, policies: PolicySets) {
    this.#blobs = blobs;
    this.#vault = vault;
    this.#policies = policies;
  }

  async of(facts: AttemptFacts, report: ReportRequest): Promise<CheckedEffect> {
    const { operation } = facts;
    const tool = TOOLS.get(operation.tool_id);
    if (tool === undefined || operation.state_snapshot_id === null) throw new Error(`operation \`${operation.operation_id}\` has an attempt without a tool or a snapshot`);
    let staged: StagedEffect;
    try {
      staged = await readStagedEffect(this.#blobs, tool, operation.state_snapshot_id, report);
      if (report.ended === 'exited') await verifyContents(this.#blobs, report.tenant_id, staged.delta);
    } catch (error) {
      if (error instanceof Fault && OF_THE_EFFECT.has(error.code)) return { staged: null, fault: endingFault(error.code, error.detail) };
      throw error;
    }
    const args = await callArguments(this.#vault, this.#blobs, facts);
    const fault = reportedFault(report, args);
    if (fault !== null || staged.delta.changes.length === 0) return { staged, fault };
    const scope = decideEffect({ chain: facts.chain, changes: staged.delta.changes });
    if (scope.effect === 'refuse') return { staged, fault: endingFault(scope.code, scope.message, scope.hint) };
    const policy = await this.#policies.of(operation.tenant_id);
    return { staged, fault: decideEffectPolicy(policy, { operation, tool, args, delta: staged.delta }) };
  }
}
