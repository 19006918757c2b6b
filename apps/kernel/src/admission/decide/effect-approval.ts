// SPDX-License-Identifier: Apache-2.0
import { Fault, type Budgets, type FaultCode, type Reason, type ReportRequest } from '@writ/contract';
import { readAttemptFacts, type AttemptFacts } from '../../execution/attempts/index.ts';
import {
  openStaged,
  reportOfStaged,
  type CheckedEffect,
  type EffectCheck,
  type EffectApplier,
  type StagedCall,
} from '../../execution/effects/index.ts';
import {
  endingFault,
  saidBeside,
  type Ending,
  type EndingFault,
  type OutcomeWriter,
  type HeadChange,
} from '../../execution/outcomes/index.ts';
import { hasRun, HeldCalls, unlessMoved, type ApprovedClosing } from '../../execution/held/index.ts';
import {
  amountsOf,
  decidedUnder,
  refusal,
  reservationRows,
  sameRules,
  stricter,
  type GivenApproval,
  type Judge,
} from '../../judging/judgement/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';
import type { CastVote } from './cast-vote.ts';
import { judgeHeld, type DecisionParts, type Rejudged } from './judge-held.ts';
import { newDecision, type NewDecision } from './new-decision.ts';
import type { PreviewAgain } from './preview-again.ts';
import { tallyOf } from './quorum.ts';

/** What makes a staged effect stale: others changed what it changes. */
const STALE: ReadonlySet<FaultCode> = new Set<FaultCode>(['workspace.conflict']);
/** A previewed call is counted when it ends; one that ran has been. What either used beside is settled. */
const ONE_CALL: Budgets = { calls: 1 };

/** What an approval of an effect works with beside. */
export interface EffectParts {
  readonly effects: EffectCheck;
  readonly landing: EffectApplier;
  readonly endings: OutcomeWriter;
  readonly again: PreviewAgain;
  readonly votes: CastVote;
}

/** A staged effect about to be committed. */
interface Approved {
  readonly rejudged: Rejudged;
  readonly decision: NewDecision;
  readonly facts: AttemptFacts;
  readonly checked: CheckedEffect;
}

/**
 * held → performed → committed: a person's yes to a staged effect. INVARIANT (exactly that): what commits is the delta
 * that was shown, checked again as a report is, on a head where every `before` of it still stands.
 */
export class EffectApproval {
  readonly #parts: DecisionParts;
  readonly #judge: Judge;
  readonly #held: HeldCalls;
  readonly #effect: EffectParts;

  constructor(parts: DecisionParts, judge: Judge, held: HeldCalls, effect: EffectParts) {
    this.#parts = parts;
    this.#judge = judge;
    this.#held = held;
    this.#effect = effect;
  }

  /**
   * Resolves after COMMIT, or with null when the facts moved: then nothing was decided.
   * @throws Fault `approval.previewed_anew`
   */
  async run(
    held: HeldCall,
    closing: ApprovedClosing,
    satisfies: GivenApproval['satisfies'],
  ): Promise<OperationRow | null> {
    const { operation } = held;
    if (held.staged === null)
      return await this.#end(
        held,
        closing,
        endingFault('approval.stale', 'the effect that was staged is no longer kept'),
      );
    const rejudged = await judgeHeld(this.#parts, this.#judge, held, { satisfies }, hasRun(held) ? {} : ONE_CALL);
    const { judgement } = rejudged;
    if (judgement.verdict === 'refused') {
      const { code, message, hint } = judgement.refusal ?? refusal('internal', 'refused without a reason');
      return await this.#held.end(rejudged.held, closing, {
        code,
        message,
        hint: hint ?? null,
        reasons: judgement.reasons,
        rules: rulesOf(rejudged),
      });
    }
    const tally = tallyOf(rejudged.held, closing.vote, judgement);
    if (tally.given < tally.needed) return await this.#effect.votes.run(rejudged.held, closing.vote, tally);
    const staged = await openStaged(this.#parts.vault, operation.tenant_id, operation.operation_id, held.staged);
    const approved = await this.#check(rejudged, closing, staged);
    // The effect was asked about under the rules of a later moment: they must be those that the statement asserts.
    if (approved === null) return null;
    const fault = approved.checked.fault ?? unexpected(held, approved.checked);
    if (fault !== null) return await this.#end(rejudged.held, closing, fault, rejudged);
    return await this.#land(approved, closing);
  }

  async #check(rejudged: Rejudged, closing: ApprovedClosing, staged: StagedCall): Promise<Approved | null> {
    const { held, judgement } = rejudged;
    const decision = newDecision(this.#parts, this.#held, rejudged, closing, staged.snapshot);
    const report: ReportRequest = reportOfStaged(held.operation.tenant_id, held.operation.operation_id, staged);
    const facts = await readAttemptFacts(this.#parts.tenants, report);
    if (!sameRules(facts.rules, rejudged.facts.rules)) return null;
    const operation = {
      ...facts.operation,
      ...decision.columns,
      limits: held.operation.limits,
      // The person who decides was good for what the effect asked for, or could not have decided.
      autonomy_mode: stricter(judgement.autonomy_mode, held.approval.autonomy_mode),
    } as OperationRow;
    const judged = { ...facts, operation };
    return {
      rejudged,
      decision,
      facts: judged,
      checked: await this.#effect.effects.ofApproved(judged, report, staged.sealed ?? null),
    };
  }

  async #land(
    { rejudged, decision, facts, checked }: Approved,
    closing: ApprovedClosing,
  ): Promise<OperationRow | null> {
    const { held, judgement } = rejudged;
    const { delta, digest } = checked;
    if (delta === null || digest === null)
      throw new Error(`the staged effect of \`${held.operation.operation_id}\` has no delta`);
    let stopped: EndingFault | null = null;
    const { records, columns, approval, said } = decision;
    const settled = hasRun(held) ? (held.operation.budget_delta ?? {}) : amountsOf(judgement.reservations);
    const verdict = await unlessMoved(
      this.#effect.landing.land(facts, { delta, contents: checked.contents }, async (change): Promise<EndVerdict> => {
        if ('code' in change) {
          stopped = change;
          return { verdict: 'gone' };
        }
        return await this.#effect.endings.endHeld(
          facts,
          goodEnding(checked, change, held.operation, { settled, reasons: judgement.reasons }),
          {
            operation: { ...columns, autonomy_mode: facts.operation.autonomy_mode },
            approval,
            effect_digest: digest,
            records,
            said,
            spend: reservationRows(judgement.reservations),
            rules: rulesOf(rejudged),
            labels: judgement.labels,
          },
        );
      }),
    );
    if (verdict?.verdict === 'done') {
      this.#held.closed(held, closing.state);
      return verdict.operation;
    }
    return stopped === null ? null : await this.#stop(rejudged, closing, stopped);
  }

  /** A stale effect is previewed once more, and is nothing to approve after that. */
  async #stop(rejudged: Rejudged, closing: ApprovedClosing, fault: EndingFault): Promise<OperationRow | null> {
    const { held } = rejudged;
    if (!STALE.has(fault.code)) return await this.#end(held, closing, fault, rejudged);
    if ((held.preview?.round ?? 1) < 2) {
      const asked = await this.#effect.again.run(rejudged);
      if (asked === 'moved') return null;
      if (asked === 'asked') throw new Fault('approval.previewed_anew');
    }
    return await this.#end(
      held,
      closing,
      endingFault(
        'approval.stale',
        'others changed the same files since the effect was shown',
        'propose the call anew',
      ),
      rejudged,
    );
  }

  async #end(
    held: HeldCall,
    closing: ApprovedClosing,
    { code, message, hint }: EndingFault,
    by?: Rejudged,
  ): Promise<OperationRow | null> {
    return await this.#held.end(held, closing, {
      code,
      message,
      hint,
      reasons: [...held.operation.reasons, { code, message }],
      ...(by === undefined ? {} : { rules: rulesOf(by) }),
    });
  }
}

const rulesOf = ({ call, facts, judgement }: Rejudged): Record<string, unknown> => decidedUnder(call, facts, judgement);

/**
 * What can only be where the kernel's own store was tampered with, or the policy asks for more than anybody who decided
 * is good for.
 */
function unexpected({ approval }: HeldCall, { digest, asks }: CheckedEffect): EndingFault | null {
  if (digest !== approval.effect_digest)
    return endingFault('approval.stale', 'what is staged is another effect than the one that was shown');
  return asks === null
    ? null
    : endingFault('approval.stale', 'the policy now asks for more supervision of this effect', 'propose the call anew');
}

function goodEnding(
  { result, requests, digest, said }: CheckedEffect,
  head: HeadChange,
  { usage_counted_by }: OperationRow,
  { settled, reasons }: { readonly settled: Budgets; readonly reasons: readonly Reason[] },
): Ending {
  const txOutcome = head.new_snapshot_id === null ? 'no_op' : 'committed';
  return {
    states: ['performed', txOutcome],
    txOutcome,
    fault: null,
    result,
    requests,
    effectDigest: digest,
    head,
    used: {},
    settled,
    chainValid: true,
    countedBy: usage_counted_by,
    ...(said === null ? {} : { said: saidBeside(reasons, said) }),
  };
}
