// SPDX-License-Identifier: Apache-2.0
import { actionDigest } from '@writ/digest';
import type { Announcer } from '../../execution/announcements/index.ts';
import { unlessMoved } from '../../execution/held/index.ts';
import {
  actionOfRow,
  amountsOf,
  assertedRules,
  decidePreview,
  laneOf,
  postable,
  reservationRows,
} from '../../judging/judgement/index.ts';
import { composeRecord, traceIdsOf } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { DecisionDependencies, Rejudged } from './judge-held.ts';

/** Requests one more preview of a call whose staged effect went stale, on the current head. */
export class PreviewAgain {
  readonly #dependencies: DecisionDependencies;
  readonly #announcer: Announcer;

  constructor(dependencies: DecisionDependencies, announcer: Announcer) {
    this.#dependencies = dependencies;
    this.#announcer = announcer;
  }

  /** `asked` once the request is durable; `moved` where the facts changed; `none` where no budget is left for it. */
  async run({ held, call, judgement, facts }: Rejudged): Promise<'asked' | 'moved' | 'none'> {
    const { operation, approval } = held;
    const { tool, head } = judgement;
    const budget = tool === null ? null : decidePreview(facts, tool);
    if (tool === null || head === null || budget === null) return 'none';
    const action = { ...actionOfRow(operation), state_snapshot_id: head };
    const { tenant_id, operation_id, agent_id, workspace_id, provenance, traceparent } = operation;
    const record = this.#dependencies.sealer.seal(
      composeRecord({
        ...action,
        kind: 'change',
        recorded_at: held.now,
        tenant_id,
        operation_id,
        agent_id,
        workspace_id,
        provenance,
        actor: 'kernel',
        approval_refs: [approval.approval_id],
        effect_digest: approval.effect_digest,
        change: { verb: 'preview_went_stale', subject: operation_id, digest: approval.effect_digest },
        ...traceIdsOf(traceparent),
      }),
      { actionDigest: actionDigest(action), newRoot: null },
    );
    const row = await unlessMoved(
      kernelSql.previewAgain(this.#dependencies.tenants.pool, {
        tenant: tenant_id,
        p: {
          operation_id,
          approval_id: approval.approval_id,
          effect_digest: approval.effect_digest,
          lane: laneOf(tool),
          state_snapshot_id: head,
          action_digest: actionDigest(action),
          image_digest: action.image_digest,
          limits: budget.limits,
          reserved: amountsOf(budget.reservations),
          reserve: reservationRows(budget.reservations),
          rules: assertedRules(call, facts, judgement),
          chain: facts.chain.map(({ token }) => token.capability_token_id),
          records: [postable(record)],
        },
      }),
    );
    if (row === null) return 'moved';
    this.#announcer.announce(row, [record]);
    return 'asked';
  }
}
