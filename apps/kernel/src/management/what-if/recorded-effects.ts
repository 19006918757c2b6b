// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type ApproverDemand,
  type AutonomyMode,
  type Delta,
  type EffectSkip,
  type TenantId,
  type ToolDefinition,
} from '@writ/contract';
import { inTenant } from '@writ/database';
import type { PastEffect } from '@writ/effect';
import { readAttemptFacts } from '../../execution/attempts/index.ts';
import type { EffectExaminer, EffectFacts, Effort, StoredDeltas } from '../../execution/effects/index.ts';
import type { ArgumentsReader } from '../../judging/judgement/index.ts';
import { readToolOf } from '../../judging/definitions/tenant-tools.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeriesRow } from '../../foundation/database/functions/outcomes.ts';

/** Earlier states of a workspace that are searched for the series of an effect. A longer series is left out. */
const SERIES_STATES_MAX = 1_000;

/** The sources of recorded effects. Arguments are decrypted here and are not passed on. */
export interface EffectSources {
  readonly tenants: TenantPool;
  readonly args: ArgumentsReader;
  readonly deltas: StoredDeltas;
  readonly examiner: EffectExaminer;
}

/** A committed effect, with the facts that it was decided on. */
export interface RecordedEffect {
  /** the operation as it was when its attempt reported, its chain, and the rules that were in force at the commit */
  readonly facts: EffectFacts;
  readonly tool: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly delta: Delta;
  /** when it committed, in milliseconds, and the sequence number of the state that it made */
  readonly at: number;
  readonly seq: number;
}

interface CommitRow {
  readonly at: number;
  readonly seq: number;
  /** the hash of the active set; null: none was activated */
  readonly policy: string | null;
  readonly labels: readonly string[];
  /** the approval of this very effect; null where it needed none */
  readonly effect_approval: string | null;
  readonly action_mode: AutonomyMode | null;
  readonly action_quorum: number | null;
  readonly action_demands: ApproverDemand[] | null;
}

interface SeriesRows {
  readonly states: number;
  readonly effects: readonly SeriesRow[];
}

/**
 * The facts at the commit of the operation. A call's own labels were on its session by then. The approval of the effect
 * itself was given after the policy had asked for it.
 */
const AT_COMMIT = `SELECT s.created_at AS at, s.seq,
  (SELECT a.policy_hash FROM kernel.policy_activation a WHERE a.tenant_id = o.tenant_id AND a.at <= s.created_at
     ORDER BY a.seq DESC LIMIT 1) AS policy,
  (SELECT coalesce(jsonb_agg(DISTINCT l.label), '[]') FROM kernel.label l
     WHERE l.tenant_id = o.tenant_id AND l.at <= s.created_at
       AND ((l.scope = 'session' AND l.id = coalesce(o.session_id, o.capability_token_id))
         OR (l.scope = 'workspace' AND l.id = o.workspace_id))) AS labels,
  e.approval_id AS effect_approval, y.autonomy_mode AS action_mode, y.quorum AS action_quorum,
  y.demands AS action_demands
  FROM kernel.operation o
  JOIN kernel.snapshot s
    ON s.workspace_id = o.workspace_id AND s.snapshot_id = o.new_snapshot_id AND s.operation_id = o.operation_id
  LEFT JOIN LATERAL (SELECT a.approval_id FROM kernel.approval a
    WHERE a.operation_id = o.operation_id AND a.of = 'effect' AND a.state = 'approved'
    ORDER BY a.decided_at DESC LIMIT 1) e ON true
  LEFT JOIN LATERAL (SELECT a.autonomy_mode, a.quorum, a.demands FROM kernel.approval a
    WHERE a.operation_id = o.operation_id AND a.of = 'action' AND a.state = 'approved'
    ORDER BY a.decided_at DESC LIMIT 1) y ON true
  WHERE o.operation_id = $1`;

/**
 * The earlier effects that kernel.join_series would have returned and that committed: of the same session, or of a
 * token with the same root. Also the number of searched states of the workspace.
 */
const SERIES = `WITH before AS (
    SELECT s.seq, s.delta_id, s.operation_id FROM kernel.snapshot s
    WHERE s.workspace_id = $1 AND s.seq < $2 AND s.seq >= $2 - ${SERIES_STATES_MAX} AND s.created_at > $5)
  SELECT (SELECT count(*) FROM before) AS states,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('delta', substr(b.delta_id, 7), 'is_approved', EXISTS (SELECT
         FROM kernel.approval a WHERE a.operation_id = b.operation_id AND a.of = 'effect' AND a.state = 'approved'
       )) ORDER BY b.seq), '[]')
     FROM before b
     JOIN kernel.operation p ON p.operation_id = b.operation_id
     JOIN kernel.token k ON k.capability_token_id = p.capability_token_id
     WHERE b.delta_id IS NOT NULL
       AND (coalesce(p.session_id, p.capability_token_id) = $3 OR k.chain[1] = $4)) AS effects`;

/** Reads committed effects for another judgement. Nothing is written. */
export class RecordedEffects {
  readonly #sources: EffectSources;

  constructor(sources: EffectSources) {
    this.#sources = sources;
  }

  get examiner(): EffectExaminer {
    return this.#sources.examiner;
  }

  /**
   * The effect of an operation that committed a change, or the reason why it can't be judged.
   *
   * @throws BeyondEffort; Fault `blob.missing` where its delta was collected, others as the stores
   */
  async of({ tenant_id, operation_id }: OperationRow, effort: Effort): Promise<RecordedEffect | EffectSkip> {
    const { tenants, args: reader, deltas } = this.#sources;
    const facts = await readAttemptFacts(tenants, { tenant_id: tenant_id as TenantId, operation_id });
    const { operation, chain } = facts;
    const then = await this.#readCommit(operation);
    const tool = await readToolOf(tenants, operation);
    if (then === null || tool === null || operation.commit_delta_id === null) return 'contents_gone';
    const args = await reader.readAdmittedValue(operation, facts);
    if (args === null) return 'arguments_erased';
    const delta = await deltas.whole(tenant_id as TenantId, hashOf(operation.commit_delta_id), effort);
    return {
      facts: {
        operation: operationAtReport(operation, then),
        chain,
        // Before the first activation a shipped set decided, and the decision names it.
        rules: { policy: then.policy ?? operation.policy_hash, labels: then.labels, history: null },
      },
      tool,
      args,
      delta,
      at: then.at,
      seq: then.seq,
    };
  }

  /**
   * The effects of its series within the window, earliest first; null where some can't be read.
   *
   * @throws BeyondEffort; Fault as the stores
   */
  async seriesOf(effect: RecordedEffect, windowMs: number, effort: Effort): Promise<readonly PastEffect[] | null> {
    const tenantId = effect.facts.operation.tenant_id as TenantId;
    const { states, effects } = await this.#series(effect, windowMs);
    if (states === SERIES_STATES_MAX) return null;
    try {
      return await this.#sources.examiner.readSeries(tenantId, effects, effort);
    } catch (error) {
      if (error instanceof Fault && error.code === 'blob.missing') return null;
      throw error;
    }
  }

  async #readCommit({ tenant_id, operation_id }: OperationRow): Promise<CommitRow | null> {
    return (await this.#select<CommitRow>(tenant_id, AT_COMMIT, [operation_id]))[0] ?? null;
  }

  async #series({ facts: { operation, chain }, at, seq }: RecordedEffect, windowMs: number): Promise<SeriesRows> {
    const { tenant_id, workspace_id, session_id, capability_token_id } = operation;
    const root = chain.find(({ parent_id }) => parent_id === null)?.capability_token_id ?? capability_token_id;
    const values = [workspace_id, seq, session_id ?? capability_token_id, root, at - windowMs];
    const [row] = await this.#select<SeriesRows>(tenant_id, SERIES, values);
    return row ?? { states: 0, effects: [] };
  }

  async #select<R extends object>(tenantId: string, sql: string, values: unknown[]): Promise<R[]> {
    const read = { readOnly: true };
    const { pool } = this.#sources.tenants;
    return await inTenant(pool, tenantId, async (client) => (await client.query<R>(sql, values)).rows, read);
  }
}

const hashOf = (deltaId: string): string => deltaId.slice('delta:'.length);

/** The operation at the report of its attempt, so without a later approval of this effect. */
function operationAtReport(operation: OperationRow, then: CommitRow): OperationRow {
  const { effect_approval, action_mode, action_quorum, action_demands } = then;
  if (effect_approval === null) return operation;
  return {
    ...operation,
    autonomy_mode: action_mode ?? 'autopilot',
    approvers: action_quorum ?? 0,
    demands_met: action_demands,
    approval_refs: operation.approval_refs.filter((ref) => ref !== effect_approval),
  };
}
