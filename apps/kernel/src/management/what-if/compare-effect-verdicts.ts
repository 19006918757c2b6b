// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from 'node:util';
import {
  EFFECT_RULES,
  Fault,
  type AutonomyMode,
  type EffectSkip,
  type FaultCode,
  type Reason,
  type TenantId,
} from '@writ/contract';
import type { EffectExamination, EffectSettings, PastEffect } from '@writ/effect';
import { BeyondEffort, judgeEffect, type EffectPolicy, type Effort } from '../../execution/effects/index.ts';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RecordedEffect, RecordedEffects } from './recorded-effects.ts';

/** The answer of a policy set about an effect. */
export interface EffectAnswer {
  /** `autopilot`: it commits without further approvals */
  readonly mode: AutonomyMode;
  readonly rule_ids: readonly string[];
  /** those of them that are rules on effects */
  readonly findings: readonly string[];
  readonly reasons: readonly Reason[];
}

/** The answers of two policy sets about an effect. */
export interface EffectAnswers {
  readonly was: EffectAnswer;
  readonly would_be: EffectAnswer;
  /** whether both had the complete series of the effect */
  readonly hasFullSeries: boolean;
}

/** Faults that skip only this effect. */
const SKIPS = new Map<FaultCode, EffectSkip>([
  ['blob.missing', 'contents_gone'],
  ['effect.invalid', 'contents_gone'],
  ['limit.exceeded', 'beyond_bounds'],
]);

/**
 * The answers of two sets about a committed effect: the set that was active then, and a candidate. Or the reason why
 * they can't judge it. Both judge it again by the rules of commits, as if nobody had approved the effect, so
 * differences come from the sets. Nothing is written. INVARIANT (missing is not empty): there is no answer about an
 * effect whose contents are deleted or whose examination is incomplete.
 */
export async function compareEffectVerdicts(
  effects: RecordedEffects,
  repository: PolicyRepository,
  operation: OperationRow,
  candidate: ReadyPolicy,
  effort: Effort,
): Promise<EffectAnswers | EffectSkip> {
  try {
    return await effort.within(compareEffect(effects, repository, operation, candidate, effort));
  } catch (error) {
    if (error instanceof BeyondEffort) return 'beyond_bounds';
    const skip = error instanceof Fault ? SKIPS.get(error.code) : undefined;
    if (skip !== undefined) return skip;
    throw error;
  }
}

async function compareEffect(
  effects: RecordedEffects,
  repository: PolicyRepository,
  operation: OperationRow,
  candidate: ReadyPolicy,
  effort: Effort,
): Promise<EffectAnswers | EffectSkip> {
  const effect = await effects.of(operation, effort);
  if (typeof effect === 'string') return effect;
  const {
    facts: { rules },
    tool,
    args,
    delta,
  } = effect;
  const inForce = rules.policy === null ? null : await repository.findDecided(operation.tenant_id, rules.policy);
  if (inForce === null) return 'set_unknown';
  const examination = new Examinations(effects, effect, effort);
  const action = { tool, args, delta, isApproved: false };
  const answer = async ({ active }: ReadyPolicy): Promise<EffectAnswer> =>
    answerOf(await judgeEffect(active, effect.facts, action, async (settings) => await examination.examine(settings)));
  return { was: await answer(inForce), would_be: await answer(candidate), hasFullSeries: examination.hasFullSeries };
}

/** The examinations of one effect: only one where both sets have the same settings. */
class Examinations {
  readonly #effects: RecordedEffects;
  readonly #effect: RecordedEffect;
  readonly #effort: Effort;
  #last: { readonly settings: EffectSettings; readonly examined: EffectExamination } | null = null;
  #hasFullSeries = true;

  constructor(effects: RecordedEffects, effect: RecordedEffect, effort: Effort) {
    this.#effects = effects;
    this.#effect = effect;
    this.#effort = effort;
  }

  get hasFullSeries(): boolean {
    return this.#hasFullSeries;
  }

  async examine(settings: EffectSettings): Promise<EffectExamination> {
    if (this.#last !== null && isDeepStrictEqual(this.#last.settings, settings)) return this.#last.examined;
    const { facts, delta, at } = this.#effect;
    const effort = this.#effort;
    const examined = await this.#effects.examiner.examineCommitted(facts.operation.tenant_id as TenantId, delta, {
      settings,
      now: at,
      effort,
      past: async () => await this.#past(settings),
    });
    this.#last = { settings, examined };
    return examined;
  }

  async #past({ lost_series: { window_ms } }: EffectSettings): Promise<readonly PastEffect[]> {
    const past = await this.#effects.seriesOf(this.#effect, window_ms, this.#effort);
    this.#hasFullSeries &&= past !== null;
    return past ?? [];
  }
}

function answerOf({ fault, moreSupervision, findings: said }: EffectPolicy): EffectAnswer {
  const unsaid = fault === null ? [] : [{ code: fault.code, message: fault.message }];
  const { rule_ids, reasons } = moreSupervision ?? said ?? { rule_ids: [], reasons: unsaid };
  const findings = EFFECT_RULES.filter((rule) => rule_ids.includes(rule));
  return { mode: fault === null ? (moreSupervision?.mode ?? 'autopilot') : 'no_go', rule_ids, findings, reasons };
}
