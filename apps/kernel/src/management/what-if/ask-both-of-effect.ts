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

/** What a set says of an effect. */
export interface EffectAnswer {
  /** `autopilot`: it commits without anybody more than the call had */
  readonly mode: AutonomyMode;
  readonly rule_ids: readonly string[];
  /** the rules on effects among them */
  readonly findings: readonly string[];
  readonly reasons: readonly Reason[];
}

/** What two sets say of an effect. */
export interface EffectAnswers {
  readonly was: EffectAnswer;
  readonly would_be: EffectAnswer;
  /** whether both knew the whole series that it went on */
  readonly knowsSeries: boolean;
}

/** What ends the asking about one effect alone. */
const SKIPS = new Map<FaultCode, EffectSkip>([
  ['blob.missing', 'contents_gone'],
  ['effect.invalid', 'contents_gone'],
  ['limit.exceeded', 'beyond_bounds'],
]);

/**
 * What two sets say of an effect that committed: the one in force then, and a candidate. Or why they can't be asked.
 * Both are asked anew, by the rules that commits ask, as if nobody had approved the effect. So what differs is the
 * sets'. Nothing is written.
 * INVARIANT (missing is not empty): nothing is said of an effect whose contents are gone, or that was not examined to
 * its end.
 */
export async function askBothOfEffect(
  effects: RecordedEffects,
  shelf: PolicyRepository,
  operation: OperationRow,
  candidate: ReadyPolicy,
  effort: Effort,
): Promise<EffectAnswers | EffectSkip> {
  try {
    return await effort.within(ask(effects, shelf, operation, candidate, effort));
  } catch (error) {
    if (error instanceof BeyondEffort) return 'beyond_bounds';
    const skip = error instanceof Fault ? SKIPS.get(error.code) : undefined;
    if (skip !== undefined) return skip;
    throw error;
  }
}

async function ask(
  effects: RecordedEffects,
  shelf: PolicyRepository,
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
  const inForce = rules.policy === null ? null : await shelf.findDecided(operation.tenant_id, rules.policy);
  if (inForce === null) return 'set_unknown';
  const examination = new Examinations(effects, effect, effort);
  const asked = { tool, args, delta, isApproved: false };
  const answer = async ({ active }: ReadyPolicy): Promise<EffectAnswer> =>
    answerOf(await judgeEffect(active, effect.facts, asked, async (settings) => await examination.by(settings)));
  return { was: await answer(inForce), would_be: await answer(candidate), knowsSeries: examination.knowsSeries };
}

/** The examinations of one effect: one where both sets have the same numbers. */
class Examinations {
  readonly #effects: RecordedEffects;
  readonly #effect: RecordedEffect;
  readonly #effort: Effort;
  #last: { readonly settings: EffectSettings; readonly examined: EffectExamination } | null = null;
  #knowsSeries = true;

  constructor(effects: RecordedEffects, effect: RecordedEffect, effort: Effort) {
    this.#effects = effects;
    this.#effect = effect;
    this.#effort = effort;
  }

  get knowsSeries(): boolean {
    return this.#knowsSeries;
  }

  async by(settings: EffectSettings): Promise<EffectExamination> {
    if (this.#last !== null && isDeepStrictEqual(this.#last.settings, settings)) return this.#last.examined;
    const { facts, delta, at } = this.#effect;
    const effort = this.#effort;
    const examined = await this.#effects.examiner.examineThen(facts.operation.tenant_id as TenantId, delta, {
      settings,
      now: at,
      effort,
      past: async () => await this.#past(settings),
    });
    this.#last = { settings, examined };
    return examined;
  }

  async #past({ lost_series: { window_ms } }: EffectSettings): Promise<readonly PastEffect[]> {
    const past = await this.#effects.pastOf(this.#effect, window_ms, this.#effort);
    this.#knowsSeries &&= past !== null;
    return past ?? [];
  }
}

function answerOf({ fault, asks, said }: EffectPolicy): EffectAnswer {
  const unsaid = fault === null ? [] : [{ code: fault.code, message: fault.message }];
  const { rule_ids, reasons } = asks ?? said ?? { rule_ids: [], reasons: unsaid };
  const findings = EFFECT_RULES.filter((rule) => rule_ids.includes(rule));
  return { mode: fault === null ? (asks?.mode ?? 'autopilot') : 'no_go', rule_ids, findings, reasons };
}
