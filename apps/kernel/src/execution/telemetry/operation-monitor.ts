// SPDX-License-Identifier: Apache-2.0
import type { CallLane, TxOutcome } from '@writ/contract';
import { toolLabel, type Counter, type Histogram, type LabelsOf, type Logger, type Meter } from '@writ/telemetry';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The fields of an operation in a line of the log: ids, codes and names, never arguments or results. */
type Observed = Pick<
  OperationRow,
  | 'operation_id'
  | 'tenant_id'
  | 'agent_id'
  | 'tool_id'
  | 'tool_definition_digest'
  | 'state'
  | 'risk_score'
  | 'reasons'
  | 'lane'
  | 'fault_code'
>;

/** The same of an operation that has ended, with the times of its creation and its end. */
type Ended = Observed & Pick<OperationRow, 'created_at' | 'updated_at'>;

/** An approval that doesn't wait any more. */
interface ClosedApproval {
  readonly tenant_id: string;
  readonly decision: LabelsOf<'writ.approvals.decided'>['decision'];
  /** how long it waited, in milliseconds */
  readonly waitedMs: number;
}

const MS = 1_000;

/** Counts decisions and outcomes, and writes a line of the log for each. Labels of metrics come from closed sets. */
export class OperationMonitor {
  readonly #decided: Counter<'writ.operations.decided'>;
  readonly #ended: Counter<'writ.operations.ended'>;
  readonly #faults: Counter<'writ.operations.faults'>;
  readonly #durations: Histogram<'writ.operation.duration'>;
  readonly #deciding: Histogram<'writ.operation.decision.duration'>;
  readonly #states: Histogram<'writ.operation.state.duration'>;
  readonly #approvals: Counter<'writ.approvals.decided'>;
  readonly #waits: Histogram<'writ.approval.wait.duration'>;
  readonly #requeued: Counter<'writ.attempts.requeued'>;
  readonly #ofTenants: TenantCounts;
  readonly #logger: Pick<Logger, 'info'>;

  constructor(meter: Meter, logger: Pick<Logger, 'info'>) {
    this.#decided = meter.counter('writ.operations.decided');
    this.#ended = meter.counter('writ.operations.ended');
    this.#faults = meter.counter('writ.operations.faults');
    this.#durations = meter.histogram('writ.operation.duration');
    this.#deciding = meter.histogram('writ.operation.decision.duration');
    this.#states = meter.histogram('writ.operation.state.duration');
    this.#approvals = meter.counter('writ.approvals.decided');
    this.#waits = meter.histogram('writ.approval.wait.duration');
    this.#requeued = meter.counter('writ.attempts.requeued');
    this.#ofTenants = new TenantCounts(meter);
    this.#logger = logger;
  }

  /**
   * A decision: `verdict` is the state that it led to. An operation_id that is sent again counts again. `tookMs`: the
   * time since the proposal arrived here.
   */
  decided(operation: Observed, tookMs: number | null = null): void {
    const { state, risk_score: risk, reasons, fault_code: fault } = operation;
    const verdict = verdictOf(state);
    this.#decided.add(1, { verdict, tool: toolLabel(operation), lane: laneOf(operation) });
    this.#ofTenants.decided(operation.tenant_id, verdict);
    if (fault !== null) this.#faults.add(1, { fault });
    if (tookMs !== null) this.#deciding.record(tookMs / MS, { verdict });
    const codes = [...new Set(reasons.map(({ code }) => code))];
    this.#logger.info(
      { ...idsOf(operation), verdict: state, risk, ...(codes.length === 0 ? {} : { reasons: codes }) },
      'decided',
    );
  }

  /**
   * An end: `outcome` is the transaction's, `fault` the code of why it did not commit, if there is one; the row is in
   * the state after the end.
   */
  ended(outcome: TxOutcome, fault: string | null, operation: Ended): void {
    const seconds = Math.max(0, operation.updated_at - operation.created_at) / MS;
    this.#ended.add(1, { outcome, tool: toolLabel(operation), lane: laneOf(operation) });
    this.#durations.record(seconds, { outcome, lane: laneOf(operation) });
    this.#ofTenants.ended(operation.tenant_id, outcome, seconds);
    if (fault !== null) this.#faults.add(1, { fault });
    this.#logger.info({ ...idsOf(operation), outcome, ...(fault === null ? {} : { fault }) }, 'ended');
  }

  /**
   * An attempt begins: its permit was issued at one time and redeemed at another, by the database's clock in
   * milliseconds.
   */
  redeemed(
    operation: Pick<OperationRow, 'lane' | 'attempt' | 'approval_id' | 'reruns' | 'created_at'>,
    issuedAt: number,
    redeemedAt: number,
  ): void {
    const lane = laneOf(operation);
    const { attempt, approval_id, reruns, created_at } = operation;
    // The others' waiting time is unknown.
    if (attempt === 1 && reruns === 0 && approval_id === null)
      this.#states.record(Math.max(0, issuedAt - created_at) / MS, { state: 'admitted', lane });
    this.#states.record(Math.max(0, redeemedAt - issuedAt) / MS, { state: 'dispatched', lane });
  }

  /** The attempts that a sweep has put back into the queue. */
  requeued({ lost, unredeemed }: { readonly lost: number; readonly unredeemed: number }): void {
    this.#requeued.add(lost, { reason: 'lost' });
    this.#requeued.add(unredeemed, { reason: 'unredeemed' });
  }

  /** A person decided an approval, or it expired. */
  approvalClosed({ tenant_id, decision, waitedMs }: ClosedApproval): void {
    this.#approvals.add(1, { decision });
    this.#waits.record(Math.max(0, waitedMs) / MS, { decision });
    this.#ofTenants.approvalClosed(tenant_id, decision);
  }
}

/** The same by tenant, for a page of one tenant. */
class TenantCounts {
  readonly #decided: Counter<'writ.tenant.operations.decided'>;
  readonly #ended: Counter<'writ.tenant.operations.ended'>;
  readonly #durations: Histogram<'writ.tenant.operation.duration'>;
  readonly #approvals: Counter<'writ.tenant.approvals.decided'>;

  constructor(meter: Meter) {
    this.#decided = meter.counter('writ.tenant.operations.decided');
    this.#ended = meter.counter('writ.tenant.operations.ended');
    this.#durations = meter.histogram('writ.tenant.operation.duration');
    this.#approvals = meter.counter('writ.tenant.approvals.decided');
  }

  decided(tenant: string, verdict: Verdict): void {
    this.#decided.add(1, { tenant, verdict });
  }

  ended(tenant: string, outcome: TxOutcome, seconds: number): void {
    this.#ended.add(1, { tenant, outcome });
    this.#durations.record(seconds, { tenant });
  }

  approvalClosed(tenant: string, decision: ClosedApproval['decision']): void {
    this.#approvals.add(1, { tenant, decision });
  }
}

type Verdict = LabelsOf<'writ.operations.decided'>['verdict'];

/** A call that was admitted and assigned in one transaction is further than `admitted` already. */
function verdictOf(state: OperationRow['state']): Verdict {
  return state === 'refused' || state === 'held' || state === 'no_op' ? state : 'admitted';
}

const laneOf = ({ lane }: Pick<OperationRow, 'lane'>): CallLane | 'none' => lane ?? 'none';

function idsOf({ operation_id, tenant_id, agent_id, tool_id }: Observed): Readonly<Record<string, string>> {
  return { operation_id, tenant_id, agent_id, tool_id };
}
