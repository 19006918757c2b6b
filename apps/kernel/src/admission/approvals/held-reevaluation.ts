// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { HeldCalls, unlessMoved, type ApprovedClosing } from '../../execution/held/index.ts';
import {
  assertedVersions,
  assertedRules,
  grantsSecret,
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
import { judgeHeld, type DecisionDependencies, type Rejudged } from './judge-held.ts';
import { newDecision } from './new-decision.ts';
import { tallyOf } from './quorum.ts';

const UNFINISHED_PREVIEWS: ReadonlySet<string> = new Set(['waiting', 'dispatched', 'performing']);

/** held → admitted or refused: decides the call again, now with a person's approval of the action. */
export class HeldReevaluation {
  readonly #dependencies: DecisionDependencies;
  readonly #judge: Judge;
  readonly #held: HeldCalls;
  readonly #votes: CastVote;
  readonly #announcer: Announcer;

  constructor(
    dependencies: DecisionDependencies,
    judge: Judge,
    held: HeldCalls,
    votes: CastVote,
    announcer: Announcer,
  ) {
    this.#dependencies = dependencies;
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
    // A person who doesn't wait for the preview doesn't pay for the rest of it. The budget that the preview had
    // reserved may be all that is left for the call.
    if (held.preview !== null && UNFINISHED_PREVIEWS.has(held.preview.state))
      await kernelSql.abandonPreview(this.#dependencies.tenants.pool, {
        tenant: held.operation.tenant_id,
        operation: held.operation.operation_id,
      });
    const rejudged = await judgeHeld(this.#dependencies, this.#judge, held, { satisfies });
    const { judgement } = rejudged;
    if (judgement.verdict !== 'refused') {
      const tally = tallyOf(rejudged.held, closing.vote, judgement);
      // A vote that doesn't complete the quorum can't supply a value.
      if (closing.given !== undefined && tally.given < tally.needed)
        throw new Fault(
          'conflict',
          'the policy now asks for more people: others must approve before the value is given',
        );
      refuseUselessValue(rejudged, closing);
      return await (tally.given < tally.needed
        ? this.#votes.run(rejudged.held, tally)
        : this.#admit(rejudged, { ...closing, vote: tally.vote, demands: tally.demands }));
    }
    const { code, message, hint } = judgement.refusal ?? refusal('internal', 'refused without a reason');
    return await this.#held.end(held, closing, {
      code,
      message,
      hint: hint ?? null,
      reasons: judgement.reasons,
      rules: assertedRules(rejudged.call, rejudged.facts, judgement),
    });
  }

  async #admit(rejudged: Rejudged, closing: ApprovedClosing): Promise<OperationRow | null> {
    const {
      held: { operation },
      call,
      judgement,
      facts,
    } = rejudged;
    const { records, columns, approval, callerReasons } = newDecision(
      this.#dependencies,
      this.#held,
      rejudged,
      closing,
    );
    const change = {
      operation: {
        ...columns,
        reasons: [...judgement.reasons, ...callerReasons],
        lane: judgement.tool === null ? null : laneOf(judgement.tool),
        limits: judgement.limits,
        reserved: reservedOf(judgement),
      },
      approval,
      rules: assertedRules(call, facts, judgement),
      labels: judgement.labels,
      chain: facts.chain.map(({ token }) => token.capability_token_id),
      head: operation.precondition_refs.length > 0 ? judgement.head : null,
      ...assertedVersions(operation),
      reserve: reservationRows(judgement.reservations),
      records: records.map(postable),
    };
    const row = await unlessMoved(
      kernelSql.readmit(this.#dependencies.tenants.pool, { tenant: operation.tenant_id, p: change }),
    );
    if (row !== null) {
      this.#announcer.announce(row, records);
      this.#held.closed(rejudged.held, closing.state);
    }
    return row;
  }
}

/**
 * INVARIANT (the answer is the grant): what a person gives for a secret that the token doesn't grant is for the call's
 * session alone. Stored, it would be of no use to it, and of use to others.
 */
function refuseUselessValue({ facts: { chain } }: Rejudged, { given }: ApprovedClosing): void {
  if (given?.scope === 'stored' && !grantsSecret(chain, given.name))
    throw new Fault(
      'conflict',
      `the call's token does not grant the secret \`${given.name}\`, so it is not stored from here: supply it once or for the session`,
    );
}
