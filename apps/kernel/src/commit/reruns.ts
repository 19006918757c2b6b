// SPDX-License-Identifier: Apache-2.0
import { LIMITS, TOOLS, type Budgets, type ReportRequest, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { actionDigest } from '@writ/digest';
import { parsePath } from '@writ/workspace';
import type { Announcer } from '../announce/index.ts';
import { readAttemptFacts, type AttemptFacts } from '../attempts/index.ts';
import { callArguments } from '../effects/index.ts';
import type { EndVerdict } from '../endings/index.ts';
import type { TenantVault } from '../payload/index.ts';
import { composeRecord, traceIdsOf, type RecordSealer, type SealedRecord } from '../records/index.ts';
import { callKernel, type OperationRow, type TenantPool, type Trees } from '../store/index.ts';

/** The rule that a decision's record names where the call was decided before and runs again. */
const RULE = 'workspace.rerun';

type RerunVerdict = { readonly verdict: 'rerun'; readonly operation: OperationRow } | Extract<EndVerdict, { readonly verdict: 'again' | 'gone' | 'token.revoked' | 'frozen' }>;

/** What re-runs work with. */
export interface RerunParts {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly trees: Trees;
  readonly sealer: RecordSealer;
  readonly announcer: Announcer;
}

/**
 * Sends inline calls back to the queue whose files another call changed while they ran: their tools are functions of a snapshot, so running one
 * again on the newest is what would have happened, had it come later.
 * INVARIANT (one decision): what runs again is the call that was decided: same arguments, token, policy hash, approvals and reservation. Only the
 * snapshot is newer, and its record says so. Where links of the newer tree lead the call's paths elsewhere than policy was asked about, nothing runs.
 */
export class Reruns {
  readonly #parts: RerunParts;

  constructor(parts: RerunParts) {
    this.#parts = parts;
  }

  /** What became of the attempt; null where the call isn't run again and the conflict is its end. `used` is what the attempt did, with those before it. */
  async of({ operation }: AttemptFacts, report: ReportRequest, used: Budgets): Promise<EndVerdict | null> {
    // Once something outside may have happened nothing is tried again.
    if (operation.lane !== 'inline' || operation.effect_started || operation.reruns >= LIMITS.reruns.max) return null;
    // The head that met the conflict may be an old one by now, and another conflict would be certain there.
    const facts = await readAttemptFacts(this.#parts.tenants, report);
    if (facts.operation.deadline !== null && facts.operation.deadline <= facts.now) return null;
    if (!await this.#leadsToTheSame(facts)) return null;
    const verdict = await this.#write(facts, report, used);
    return verdict.verdict === 'rerun' ? { verdict: 'settled', state: verdict.operation.state, tx_outcome: null } : verdict;
  }

  async #leadsToTheSame(facts: AttemptFacts): Promise<boolean> {
    const { tenant_id, tool_id, state_snapshot_id } = facts.operation;
    const tool = TOOLS.get(tool_id);
    if (tool === undefined || state_snapshot_id === null) return false;
    const args = await callArguments(this.#parts.vault, this.#parts.blobs, facts);
    const leads = async (snapshot: string, path: string) => await this.#parts.trees.resolve(tenant_id as TenantId, snapshot, parsePath(path));
    const pairs = tool.resources(args).map(async ({ path }) => {
      const [then, now] = await Promise.allSettled([leads(state_snapshot_id, path), leads(facts.head.snapshot_id, path)]);
      return then.status === 'fulfilled' && now.status === 'fulfilled' && then.value === now.value;
    });
    return (await Promise.all(pairs)).every(Boolean);
  }

  async #write({ now, operation, head }: AttemptFacts, { attempt, executor_id, nonce }: ReportRequest, spent: Budgets): Promise<RerunVerdict> {
    const action = { ...operation, state_snapshot_id: head.snapshot_id };
    const digest = actionDigest(action);
    const record = this.#record(action, now, digest);
    const order = {
      tenant_id: operation.tenant_id, operation_id: operation.operation_id,
      seen: { attempt, executor_id, nonce, reruns: operation.reruns },
      state_snapshot_id: head.snapshot_id, action_digest: digest, spent,
      record: { record_id: record.record_id, keyid: record.keyid, digest: record.digest },
    };
    const verdict = await callKernel<RerunVerdict>(this.#parts.tenants.pool, 'run_again', [JSON.stringify(order), record.payload, record.sig]);
    if (verdict.verdict === 'rerun') this.#parts.announcer.announce(verdict.operation, [record]);
    return verdict;
  }

  /** The decision again, about the newer snapshot: nothing more is reserved. */
  #record(row: OperationRow, now: number, digest: string): SealedRecord {
    const { tenant_id, operation_id, agent_id, workspace_id, capability_token_id, tool_id, tool_definition_digest, args_hash, policy_hash } = row;
    const record = composeRecord({
      kind: 'tool_call', phase: 'decision', tenant_id, recorded_at: now, operation_id, verdict: 'admitted', rule_ids: [RULE],
      agent_id, workspace_id, capability_token_id, tool_id, tool_definition_digest, args_hash, policy_hash,
      state_snapshot_id: row.state_snapshot_id, image_digest: row.image_digest, approval_refs: row.approval_refs,
      provenance: row.provenance, task_class: row.task_class, autonomy_mode: row.autonomy_mode, risk_score: row.risk_score, risk_basis: row.risk_basis,
      ...traceIdsOf(row.traceparent),
    });
    return this.#parts.sealer.seal(record, { actionDigest: digest, newRoot: null });
  }
}
