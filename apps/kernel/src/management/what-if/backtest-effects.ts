// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type BacktestEffects, type EffectSkip } from '@writ/contract';
import { Effort, type EffortBounds } from '../../execution/effects/index.ts';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { compareEffectVerdicts, type EffectAnswers } from './compare-effect-verdicts.ts';
import type { RecordedEffects } from './recorded-effects.ts';

/** The limits of all effects of a page together, and of each effect. */
export interface EffectBounds {
  /** a page ends after the call with which it exceeds this */
  readonly page: EffortBounds;
  readonly effect: EffortBounds;
}

const MIB = 1024 * 1024;

/** The longest page takes the sum of both times, which is less than the ten seconds that the orchestrator waits. */
export const EFFECT_BOUNDS: EffectBounds = {
  page: { bytesMax: 64 * MIB, wallMs: 2_500 },
  // Two states of git's own source tree, as a commit reads them, and long files in addition.
  effect: { bytesMax: 192 * MIB, wallMs: 4_000 },
};

const EXAMPLES_MAX = 20;
/** As many as fit one page with the rules of other effects. */
const RULES_MAX = 16;
const HEADLINE_CHARS_MAX = 512;
type Change = BacktestEffects['examples'][number];

/** The committed effects of a page's calls, judged by two sets. */
export class PageEffects {
  readonly #effects: RecordedEffects;
  readonly #repository: PolicyRepository;
  readonly #candidate: ReadyPolicy;
  readonly #bounds: EffectBounds;
  readonly #now: () => number;
  readonly #until: number;
  readonly #skipped = new Map<EffectSkip, number>();
  readonly #changes: Change[] = [];
  #bytes = 0;
  #judged = 0;
  #withoutSeries = 0;

  /** @param now monotonic milliseconds */
  constructor(
    effects: RecordedEffects,
    repository: PolicyRepository,
    candidate: ReadyPolicy,
    bounds: EffectBounds,
    now: () => number,
  ) {
    this.#effects = effects;
    this.#repository = repository;
    this.#candidate = candidate;
    this.#bounds = bounds;
    this.#now = now;
    this.#until = now() + bounds.page.wallMs;
  }

  /** whether the page has used its limits */
  get isFull(): boolean {
    return this.#bytes >= this.#bounds.page.bytesMax || this.#now() >= this.#until;
  }

  /** Judges the effect of the operation; does nothing where it changed no file. @throws Fault as the stores */
  async judge(operation: OperationRow): Promise<void> {
    if (operation.tx_outcome !== 'committed' || operation.new_snapshot_id === null) return;
    const effort = new Effort(this.#bounds.effect, this.#now);
    const answers = await compareEffectVerdicts(this.#effects, this.#repository, operation, this.#candidate, effort);
    this.#bytes += effort.bytes;
    if (typeof answers === 'string') {
      this.#skipped.set(answers, (this.#skipped.get(answers) ?? 0) + 1);
      return;
    }
    this.#judged += 1;
    if (!answers.hasFullSeries) this.#withoutSeries += 1;
    if (answers.was.mode !== answers.would_be.mode) this.#changes.push(changeOf(operation, answers));
  }

  /** The result for the page. */
  result(): BacktestEffects {
    const skipped_for = [...this.#skipped].map(([why, count]) => ({ why, count }));
    return {
      judged: this.#judged,
      skipped: skipped_for.reduce((sum, { count }) => sum + count, 0),
      skipped_for,
      without_series: this.#withoutSeries,
      changed: this.#changes.length,
      changes: countChanges(this.#changes),
      examples: this.#changes.slice(0, EXAMPLES_MAX),
    };
  }
}

function changeOf({ operation_id, tool_id }: OperationRow, { was, would_be }: EffectAnswers): Change {
  const isStricter = AUTONOMY_MODES.indexOf(would_be.mode) > AUTONOMY_MODES.indexOf(was.mode);
  const headline = (isStricter ? would_be : was).reasons[0]?.message ?? '';
  return {
    operation_id,
    tool_id,
    from: was.mode,
    to: would_be.mode,
    rule_ids: would_be.rule_ids.slice(0, RULES_MAX),
    findings: [...would_be.findings],
    findings_then: [...was.findings],
    headline: headline.slice(0, HEADLINE_CHARS_MAX).toWellFormed(),
  };
}

/** The number of decisions that change in the same way, by tool. */
export function countChanges(changes: readonly Pick<Change, 'from' | 'to' | 'tool_id'>[]): BacktestEffects['changes'] {
  const counts = new Map<string, BacktestEffects['changes'][number]>();
  for (const { from, to, tool_id } of changes) {
    const key = `${from} ${to} ${tool_id}`;
    counts.set(key, { from, to, tool_id, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
