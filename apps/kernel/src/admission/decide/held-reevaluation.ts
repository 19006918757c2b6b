// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { HeldCalls, unlessMoved, type ApprovedClosing } from '../../execution/held/index.ts';
import {
  assertedVersions,
  decidedUnder,
  laneOf,
  postable,
  refusal,
  reservationRows,
  reservedOf,
  type GivenApproval,
  type Judge,
} from '../../judging/judgement/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import type { CastVote } from './cast-vote.ts';
import { judgeHeld, type DecisionParts, type Rejudged } from './judge-held.ts';
import { newDecision } from './new-decision.ts';
import { tallyOf } from './quorum.ts';

const UNFINISHED: ReadonlySet<string> = new Set(['waiting', 'dispatched', 'performing']);

/** held → admitted or refused: decides the call again, now with a person's approval of the action. */
export class HeldReevaluation {
  readonly #parts: DecisionParts;
  readonly #judge: Judge;
  readonly #held: HeldCalls;
  readonly #votes: CastVote;
  readonly #announcer: Announcer;

  constructor(parts: DecisionParts, judge: Judge, held: HeldCalls, votes: CastVote, announcer: Announcer) {
    this.#parts = parts;
    this.#judge = judge;
    this.#held = held;
    this.#votes = votes;
    this.#announcer = announcer;
  }

  /** Resolves after COMMIT. Resolves with null when the facts changed: then nothing was decided. */
  async run(
    held: HeldCall,
    closing: ApprovedClosing,
    satisfies: GivenApproval['satisfies'],
  ): Promise<OperationRow | null> {
    // A person who doesn't wait for the preview doesn't pay for the rest of it. What the preview had reserved may be
    // all that is left for the call.
    if (held.preview !== null && UNFINISHED.has(held.preview.state))
      await kernelSql.abandonPreview(this.#parts.tenants.pool, {
        tenant: held.operation.tenant_id,
        operation: held.operation.operation_id,
      });
    const rejudged = await judgeHeld(this.#parts, this.#judge, held, { satisfies });
    const { judgement } = rejudged;
    if (judgement.verdict !== 'refused') {
      const tally = tallyOf(rejudged.held, closing.vote, judgement);
      // A vote that doesn't complete the quorum can't bring a value.
      if (closing.given !== undefined && tally.given < tally.needed)
        throw new Fault(
          'conflict',
          'the policy now asks for more people: others must approve before the value is given',
        );
      return await (tally.given < tally.needed
        ? this.#votes.run(rejudged.held, closing.vote, tally)
        : this.#readmit(rejudged, closing));
    }
    const { code, message, hint } = judgement.refusal ?? refusal('internal', 'refused without a reason');
    return await this.#held.end(held, closing, {
      code,
      message,
      hint: hint ?? null,
      reasons: judgement.reasons,
      rules: decidedUnder(rejudged.call, rejudged.facts, judgement),
    });
  }

  async #readmit(rejudged: Rejudged, closing: ApprovedClosing): Promise<OperationRow | null> {
    const {
      held: { operation },
      call,
      judgement,
      facts,
    } = rejudged;
    const { records, columns, approval, said } = newDecision(this.#parts, this.#held, rejudged, closing);
    const change = {
      operation: {
        ...columns,
        reasons: [...judgement.reasons, ...said],
        lane: judgement.tool === null ? null : laneOf(judgement.tool.class),
        limits: judgement.limits,
        reserved: reservedOf(judgement),
      },
      approval,
      rules: decidedUnder(call, facts, judgement),
      labels: judgement.labels,
      chain: facts.chain.map(({ token }) => token.capability_token_id),
      head: operation.precondition_refs.length > 0 ? judgement.head : null,
      ...assertedVersions(operation),
      reserve: reservationRows(judgement.reservations),
      records: records.map(postable),
    };
    const row = await unlessMoved(
      kernelSql.readmit(this.#parts.tenants.pool, { tenant: operation.tenant_id, p: change }),
    );
    if (row !== null) {
      this.#announcer.announce(row, records);
      this.#held.closed(rejudged.held, closing.state);
    }
    return row;
  }
}
