// SPDX-License-Identifier: Apache-2.0
import type { Reason } from '@writ/contract';
import { extractTrace, withSpan } from '@writ/telemetry';
import type { Announcer, Outcomes } from '../announcements/index.ts';
import { assertedVersions } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { RecordSealer, SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { unlessToolChanged } from '../../foundation/database/kernel-errors.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation, EndVerdict } from '../../foundation/rows/attempt-rows.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { withAnnounced } from './announced-requests.ts';
import type { OutcomeDraft } from './outcome-draft.ts';
import { budgetDelta, outcomeRecord } from './outcome-record.ts';

/** The credentials of the attempt that reports. The row's executor, attempt and nonce fence it from every other. */
export interface AttemptCredentials {
  readonly attempt: number;
  readonly executor_id: string;
  readonly nonce: string;
}

/** What a person's approval of a staged effect adds to the ending, as kernel.finish_held takes it. */
export interface HeldDecision {
  /** columns of the new decision, under which the call ends */
  readonly operation: Readonly<Record<string, unknown>>;
  readonly approval: Readonly<Record<string, unknown>>;
  /** of the effect that is approved */
  readonly effect_digest: string;
  /**
   * the tenant's rules that it was decided under, as kernel.assert_rules takes them, and the labels that the call adds
   */
  readonly rules: Readonly<Record<string, unknown>>;
  readonly labels: readonly string[];
  /** for the caller, in addition to the reasons that held it */
  readonly findings: readonly Reason[];
  /** of the approval and of the new decision */
  readonly records: readonly SealedRecord[];
  readonly spend: readonly unknown[];
}

/** The parameters of kernel.hold_effect, which makes an effect wait for a person. `staged` is sealed. */
export interface EffectHold {
  readonly approval: Readonly<Record<string, unknown>>;
  readonly staged: Buffer;
  /** the decision that holds it */
  readonly record: SealedRecord;
}

/**
 * Ends operations after admission: state, settlement, result and signed record are one transaction.
 * INVARIANT (nothing unrecorded): an ending is announced only after its record is durable.
 */
export class OutcomeWriter {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #sealer: RecordSealer;
  readonly #announcer: Announcer;
  readonly #outcomes: Outcomes;
  readonly #monitor: Pick<OperationMonitor, 'decided' | 'ended'>;

  constructor(
    tenants: TenantPool,
    vault: TenantVault,
    sealer: RecordSealer,
    announcer: Announcer,
    outcomes: Outcomes,
    monitor: Pick<OperationMonitor, 'decided' | 'ended'>,
  ) {
    this.#tenants = tenants;
    this.#vault = vault;
    this.#sealer = sealer;
    this.#announcer = announcer;
    this.#outcomes = outcomes;
    this.#monitor = monitor;
  }

  /**
   * Ends the operation if it still is as it was seen. For a report, the attempt's `credentials` must still be valid.
   * @throws Fault `record.too_large`, `database.unavailable`
   */
  async end(
    seen: SeenOperation,
    ending: OutcomeDraft,
    credentials: AttemptCredentials | null = null,
  ): Promise<EndVerdict> {
    const { operation_id, traceparent } = seen.operation;
    const state = ending.states.at(-1) ?? ending.states[0];
    const end = (): Promise<EndVerdict> =>
      withSpan(state, { operation_id }, () => this.#end(seen, ending, credentials));
    // A report arrives in its call's trace; a sweep has none but the proposal's.
    return credentials === null && traceparent !== null ? await extractTrace({ traceparent }, end) : await end();
  }

  /**
   * held → performed → its end: `seen` is the call as it was decided anew. Nothing is written unless it is still held,
   * and the approval pending.
   */
  async endHeld(seen: SeenOperation, ending: OutcomeDraft, decided: HeldDecision): Promise<EndVerdict> {
    const { records, ...rest } = decided;
    const held = {
      ...rest,
      records: records.map(({ record_id, payload, keyid, sig }) => ({
        record_id,
        payload: payload.toString('base64'),
        keyid,
        sig: sig.toString('base64'),
      })),
    };
    const verdict = await this.#write(kernelSql.finishHeld, seen, ending, { held });
    if (verdict.verdict === 'done') this.#announcer.announce(verdict.operation, records);
    return verdict;
  }

  /**
   * performed → held, settled as used. The report's attempt credentials fence it as they fence an ending. Null where
   * the tool was changed while the call ran: nobody approves under another definition.
   */
  async hold(
    { operation }: SeenOperation,
    ending: OutcomeDraft,
    credentials: AttemptCredentials,
    { approval, staged, record }: EffectHold,
  ): Promise<EndVerdict | null> {
    const order = {
      ...orderOf(operation, ending, credentials),
      record: { record_id: record.record_id, keyid: record.keyid },
      hold: { approval, decision_hash: record.digest, usage_counted_by: ending.countedBy ?? null },
    };
    const verdict = await unlessToolChanged(
      kernelSql.holdEffect(this.#tenants.pool, { p: order, staged, payload: record.payload, sig: record.sig }),
    );
    if (verdict?.verdict === 'done') {
      this.#announcer.announce(verdict.operation, [record]);
      this.#monitor.decided(verdict.operation);
      this.#outcomes.ended({ row: verdict.operation, sealedResult: null });
    }
    return verdict;
  }

  async #end(seen: SeenOperation, ending: OutcomeDraft, credentials: AttemptCredentials | null): Promise<EndVerdict> {
    return await this.#write(
      kernelSql.finish,
      seen,
      ending,
      credentials === null ? {} : { speaker: { executor_id: credentials.executor_id, nonce: credentials.nonce } },
    );
  }

  async #write(
    statement: typeof kernelSql.finish,
    { now, operation }: SeenOperation,
    decided: OutcomeDraft,
    more: Readonly<Record<string, unknown>>,
  ): Promise<EndVerdict> {
    const ending = await withAnnounced(this.#tenants, this.#vault, operation, decided);
    const record = this.#sealer.seal(outcomeRecord(operation, ending, now), {
      actionDigest: operation.action_digest,
      newRoot: ending.head?.new_snapshot_id ?? null,
    });
    const order = {
      ...orderOf(operation, ending, null),
      ...more,
      ...(await this.#sealedRequests(operation, ending)),
      record: { record_id: record.record_id, keyid: record.keyid },
    };
    const sealedResult = await this.#sealedResult(operation, ending);
    const verdict = await statement(this.#tenants.pool, {
      p: order,
      result: sealedResult,
      payload: record.payload,
      sig: record.sig,
    });
    if (verdict.verdict === 'done') {
      this.#announcer.announce(verdict.operation, [record]);
      this.#outcomes.ended({ row: verdict.operation, sealedResult });
      if (ending.txOutcome !== null)
        this.#monitor.ended(ending.txOutcome, ending.fault?.code ?? null, verdict.operation);
    }
    return verdict;
  }

  async #sealedRequests(operation: OperationRow, { requests }: OutcomeDraft): Promise<{ requests?: string }> {
    if (requests === undefined || requests === null || requests.list.length === 0) return {};
    return { requests: (await this.#vault.calls.seal(operation, 'requests', requests.bytes)).toString('base64') };
  }

  async #sealedResult(operation: OperationRow, { result }: OutcomeDraft): Promise<Buffer | null> {
    if (result === null || result.bytes === null) return null;
    return await this.#vault.calls.seal(operation, 'result', result.bytes);
  }
}

/** The parameters of kernel.finish. */
function orderOf(
  row: OperationRow,
  ending: OutcomeDraft,
  credentials: AttemptCredentials | null,
): Record<string, unknown> {
  const { state, attempt, cancel_requested, effect_started, lease_until } = row;
  return {
    tenant_id: row.tenant_id,
    operation_id: row.operation_id,
    seen: { state, attempt, cancel_requested, effect_started, lease_until },
    ...(credentials === null ? {} : { speaker: { executor_id: credentials.executor_id, nonce: credentials.nonce } }),
    chain_valid: ending.chainValid,
    ...(ending.rules === undefined ? {} : { rules: ending.rules }),
    ...(ending.head === null ? {} : { head: ending.head }),
    ...(ending.outsideDeltaId === undefined ? {} : { outside_delta_id: ending.outsideDeltaId }),
    ...(ending.changes === undefined || ending.changes.length === 0 ? {} : { changes: ending.changes }),
    // Only a call that ends well relies on its versions.
    ...(ending.chainValid ? assertedVersions(row) : {}),
    states: ending.states,
    set: {
      tx_outcome: ending.txOutcome,
      fault_code: ending.fault?.code ?? null,
      fault_message: ending.fault?.message ?? null,
      fault_hint: ending.fault?.hint ?? null,
      result_hash: ending.result?.hash ?? null,
      result_ref: ending.result?.ref ?? null,
      effect_digest: ending.effectDigest,
      budget_delta: budgetDelta(row, ending),
      ...(ending.findings === undefined ? {} : { reasons: ending.findings.reasons }),
    },
    used: ending.used,
  };
}
