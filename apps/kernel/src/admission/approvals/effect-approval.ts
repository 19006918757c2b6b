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
  outcomeFault,
  mergeReasons,
  type OutcomeDraft,
  type OutcomeFault,
  type OutcomeWriter,
  type HeadChange,
} from '../../execution/outcomes/index.ts';
import { hasRun, HeldCalls, unlessMoved, type ApprovedClosing } from '../../execution/held/index.ts';
import {
  amountsOf,
  assertedRules,
  isPreviewable,
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
import { judgeHeld, type DecisionDependencies, type Rejudged } from './judge-held.ts';
import { newDecision, type NewDecision } from './new-decision.ts';
import type { PreviewAgain } from './preview-again.ts';
import { tallyOf } from './quorum.ts';

/** The faults that make a staged effect stale: others changed the same files. */
const STALE_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['workspace.conflict']);
/**
 * A previewed call is counted when it ends, and a call that ran was counted already. All other usage of both is
 * settled.
 */
const ONE_CALL: Budgets = { calls: 1 };

/** Further collaborators of an approval of an effect. */
export interface EffectDependencies {
  readonly effects: EffectCheck;
  readonly applier: EffectApplier;
  readonly outcomeWriter: OutcomeWriter;
  readonly previewAgain: PreviewAgain;
  readonly votes: CastVote;
}

/** A staged effect that is about to be committed. */
interface CheckedApproval {
  readonly rejudged: Rejudged;
  readonly decision: NewDecision;
  readonly facts: AttemptFacts;
  readonly checked: CheckedEffect;
}

/**
 * held → performed → committed: a person approves a staged effect. INVARIANT (exactly that): the committed delta is the
 * delta that was shown. It is checked again like a report, on a head where every `before` of it still holds.
 */
export class EffectApproval {
  readonly #dependencies: DecisionDependencies;
  readonly #judge: Judge;
  readonly #held: HeldCalls;
  readonly #effectDependencies: EffectDependencies;

  constructor(
    dependencies: DecisionDependencies,
    judge: Judge,
    held: HeldCalls,
    effectDependencies: EffectDependencies,
  ) {
    this.#dependencies = dependencies;
    this.#judge = judge;
    this.#held = held;
    this.#effectDependencies = effectDependencies;
  }

  /**
   * Resolves after COMMIT, or with null where the facts have changed: then nothing was decided.
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
        outcomeFault('approval.stale', 'the effect that was staged is no longer kept'),
      );
    const rejudged = await judgeHeld(
      this.#dependencies,
      this.#judge,
      held,
      { satisfies },
      hasRun(held) ? {} : ONE_CALL,
    );
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
    // INVARIANT (exactly that): what a commit changes beside the workspace is in no staged effect, so nobody saw it.
    if (judgement.tool !== null && !isPreviewable(judgement.tool) && !hasRun(held))
      return await this.#end(rejudged.held, closing, NOT_STAGED, rejudged);
    if (isPreviewTooOld(rejudged)) return await this.#previewAgain(rejudged, closing, TOO_OLD);
    const tally = tallyOf(rejudged.held, closing.vote, judgement);
    if (tally.given < tally.needed) return await this.#effectDependencies.votes.run(rejudged.held, tally);
    const counted = { ...closing, vote: tally.vote, demands: tally.demands };
    const staged = await openStaged(this.#dependencies.vault, operation.tenant_id, operation.operation_id, held.staged);
    const approved = await this.#check(rejudged, counted, staged);
    // The check read the rules at a later moment than the decision. They must be the rules that the statement asserts.
    if (approved === null) return null;
    const fault = approved.checked.fault ?? mismatchFault(held, approved.checked);
    if (fault !== null) return await this.#end(rejudged.held, counted, fault, rejudged);
    return await this.#commit(approved, counted);
  }

  async #check(rejudged: Rejudged, closing: ApprovedClosing, staged: StagedCall): Promise<CheckedApproval | null> {
    const { held, judgement } = rejudged;
    const decision = newDecision(this.#dependencies, this.#held, rejudged, closing, staged.snapshot);
    const report: ReportRequest = reportOfStaged(held.operation.tenant_id, held.operation.operation_id, staged);
    const facts = await readAttemptFacts(this.#dependencies.tenants, report);
    if (!sameRules(facts.rules, rejudged.facts.rules)) return null;
    const operation = {
      ...facts.operation,
      ...decision.columns,
      limits: held.operation.limits,
      // The person was entitled to approve the supervision that the effect asked for. Otherwise they could not have
      // decided.
      autonomy_mode: stricter(judgement.autonomy_mode, held.approval.autonomy_mode),
    } as OperationRow;
    const judged = { ...facts, operation };
    return {
      rejudged,
      decision,
      facts: judged,
      checked: await this.#effectDependencies.effects.ofApproved(judged, report, staged.sealed ?? null),
    };
  }

  async #commit(
    { rejudged, decision, facts, checked }: CheckedApproval,
    closing: ApprovedClosing,
  ): Promise<OperationRow | null> {
    const { held, judgement } = rejudged;
    const { delta, digest } = checked;
    if (delta === null || digest === null)
      throw new Error(`the staged effect of \`${held.operation.operation_id}\` has no delta`);
    let stopped: OutcomeFault | null = null;
    const { records, columns, approval, callerReasons } = decision;
    const settled = hasRun(held) ? (held.operation.budget_delta ?? {}) : amountsOf(judgement.reservations);
    const verdict = await unlessMoved(
      this.#effectDependencies.applier.apply(
        facts,
        { delta, contents: checked.contents },
        async (change): Promise<EndVerdict> => {
          if ('code' in change) {
            stopped = change;
            return { verdict: 'gone' };
          }
          return await this.#effectDependencies.outcomeWriter.endHeld(
            facts,
            successEnding(checked, change, held.operation, { settled, reasons: judgement.reasons }),
            {
              operation: { ...columns, autonomy_mode: facts.operation.autonomy_mode },
              approval,
              effect_digest: digest,
              records,
              findings: callerReasons,
              spend: reservationRows(judgement.reservations),
              rules: rulesOf(rejudged),
              labels: judgement.labels,
            },
          );
        },
      ),
    );
    if (verdict?.verdict === 'done') {
      this.#held.closed(held, closing.state);
      return verdict.operation;
    }
    return stopped === null ? null : await this.#stop(rejudged, closing, stopped);
  }

  /** Previews a stale effect once more. An effect that is stale again can't be approved. */
  async #stop(rejudged: Rejudged, closing: ApprovedClosing, fault: OutcomeFault): Promise<OperationRow | null> {
    const { held } = rejudged;
    return STALE_FAULTS.has(fault.code)
      ? await this.#previewAgain(rejudged, closing, 'others changed the same files since the effect was shown')
      : await this.#end(held, closing, fault, rejudged);
  }

  /** Previews the call once more, or ends it where that was done already. `why`: the effect can't be approved. */
  async #previewAgain(rejudged: Rejudged, closing: ApprovedClosing, why: string): Promise<OperationRow | null> {
    const { held } = rejudged;
    if ((held.preview?.round ?? 1) < 2) {
      const result = await this.#effectDependencies.previewAgain.run(rejudged);
      if (result === 'moved') return null;
      if (result === 'asked') throw new Fault('approval.previewed_anew');
    }
    return await this.#end(held, closing, outcomeFault('approval.stale', why, 'propose the call anew'), rejudged);
  }

  async #end(
    held: HeldCall,
    closing: ApprovedClosing,
    { code, message, hint }: OutcomeFault,
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

const NOT_STAGED = outcomeFault(
  'approval.stale',
  'the effect of this tool is not one on files alone, so what was staged is not all of it',
  'propose the call anew',
);
const TOO_OLD = 'the effect was shown longer ago than the policy lets it be approved';

/** Whether the effect was previewed longer ago than the policy in force permits. That of a run has no such limit. */
const isPreviewTooOld = ({ held: { preview, now }, judgement }: Rejudged): boolean =>
  preview?.state === 'ready' && preview.updated_at + judgement.preview_ms <= now;

const rulesOf = ({ call, facts, judgement }: Rejudged): Record<string, unknown> =>
  assertedRules(call, facts, judgement);

/**
 * The fault where the staged effect differs from the effect that was shown, or the policy now asks for more
 * supervision. It occurs only where the kernel's store was tampered with or the policy has changed.
 */
function mismatchFault({ approval }: HeldCall, { digest, moreSupervision }: CheckedEffect): OutcomeFault | null {
  if (digest !== approval.effect_digest)
    return outcomeFault('approval.stale', 'what is staged is another effect than the one that was shown');
  return moreSupervision === null
    ? null
    : outcomeFault(
        'approval.stale',
        'the policy now asks for more supervision of this effect',
        'propose the call anew',
      );
}

function successEnding(
  { result, requests, digest, findings }: CheckedEffect,
  head: HeadChange,
  { usage_counted_by }: OperationRow,
  { settled, reasons }: { readonly settled: Budgets; readonly reasons: readonly Reason[] },
): OutcomeDraft {
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
    ...(findings === null ? {} : { findings: mergeReasons(reasons, findings) }),
  };
}
