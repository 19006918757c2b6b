// SPDX-License-Identifier: Apache-2.0
import type { Lane, ReceiptState, Verdict } from '@writ/contract';
import { completeEffectSettings } from '@writ/effect';
import { WakeUp } from '../execution/announcements/wake-up.ts';
import { Events, type OperationChange } from '../execution/announcements/events.ts';
import { Outbox } from '../evidence/outbox/outbox.ts';
import { PolicySets, type ActivePolicy, type JudgedAction, type Supervision } from '../judging/policies/policy-sets.ts';
import { Receipts, type AwaitedRecord } from '../evidence/outbox/receipts.ts';
import type { SealedRecord } from '../evidence/records/index.ts';

/** Records the lanes that were woken. */
export class RecordingWakeUp extends WakeUp {
  readonly woken: Lane[] = [];
  override wake(lane: Lane): void {
    this.woken.push(lane);
  }
  override slotFreed(): void {
    // Nothing waits here.
  }
}

export class RecordingEvents extends Events {
  readonly changes: string[] = [];
  readonly stops: string[] = [];
  override operationChanged({ operation_id, state }: OperationChange): void {
    this.changes.push(`${operation_id} ${state}`);
  }
  override stop(_tenantId: string, operationId: string, attempt: number): void {
    this.stops.push(`${operationId} ${String(attempt)}`);
  }
}

export class RecordingOutbox extends Outbox {
  readonly records: SealedRecord[] = [];
  override enqueue(records: readonly SealedRecord[]): void {
    this.records.push(...records);
  }
}

/** A ledger that never answers in time. */
export class PendingReceipts extends Receipts {
  override wait(record: AwaitedRecord): Promise<ReceiptState> {
    return Promise.resolve({
      state: 'pending',
      record_id: record.record_id,
      href: `/v1/operations/${record.operation_id}/receipt`,
      leaf_index: null,
      tree_size: null,
    });
  }
}

export const AUTOPILOT: Supervision & { effect: 'allow' } = {
  effect: 'allow',
  autonomy_mode: 'autopilot',
  decided: 'autopilot',
  approvers: null,
  risk_score: 0.1,
  risk_basis: ['test.base'],
  rule_ids: ['permit-all'],
  reasons: [],
};

/** A policy that a spec defines: its hash and its answer. */
export class ScriptedPolicy extends PolicySets {
  hash = '1'.repeat(64);
  judged: JudgedAction[] = [];
  answer: (action: JudgedAction) => Verdict<Supervision> = () => AUTOPILOT;
  quorum = { soft_gate: 1, escalated: 1 };
  approvalMs = 24 * 3_600_000;
  waiting: ActivePolicy['waiting'] = null;
  previewMs = 24 * 3_600_000;
  stagedChangeMs = 600_000;
  sessionGrantMs = 3_600_000;

  override of(): Promise<ActivePolicy> {
    return Promise.resolve(this.lastOf());
  }

  override lastOf(): ActivePolicy {
    return {
      hash: this.hash,
      quorum: this.quorum,
      approvalMs: this.approvalMs,
      waiting: this.waiting,
      groups: [],
      previewMs: this.previewMs,
      stagedChangeMs: this.stagedChangeMs,
      sessionGrantMs: this.sessionGrantMs,
      historyNeeds: () => null,
      effectSettings: () => completeEffectSettings(),
      judge: async (action) => {
        this.judged.push(action);
        return this.answer(action);
      },
      judgeEffect: async (effect) => this.answer(effect),
    };
  }
}

/** Requires this much supervision, with a reason; by so many persons. */
export const requires = (mode: 'soft_gate' | 'escalated' | 'no_go', count?: number) => (): Verdict<Supervision> => ({
  ...AUTOPILOT,
  autonomy_mode: mode,
  risk_score: 0.8,
  approvers: count === undefined ? null : { count, role: mode === 'escalated' ? 'admin' : 'operator' },
  reasons: [{ code: 'rule.test', message: `the rule asks for ${mode}` }],
});
