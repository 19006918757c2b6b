// SPDX-License-Identifier: Apache-2.0
import { isSequential, type TextDialect } from '@writ/dialects';

/** The limits of a run, and how its dialect runs calls. */
export interface RunRules {
  /** limit on the replies of the run; a reply that repairs an envelope counts */
  readonly rounds_max: number;
  /** `sequence`: the calls of a reply one after another. `disjoint`: concurrently if they touch disjoint resources */
  readonly order: 'sequence' | 'disjoint';
  /**
   * `pause`: a held call ends the turn until it is decided. `explain`: the model is told first, and its one explaining
   * reply runs no calls
   */
  readonly on_held: 'pause' | 'explain';
  /** limit on consecutive replies whose envelope can't be parsed, before the run ends */
  readonly repairs_max: number;
  /** consecutive rounds in which every call failed, until the model is told to try another way; null: never */
  readonly pivot_after: number | null;
  /** input and output tokens together; null: no limit for the run */
  readonly tokens_max: number | null;
  /** in millionths of the price list's currency; null: no limit */
  readonly cost_max: number | null;
  readonly prices: Prices | null;
  /** above it older rounds are summarised; null: never */
  readonly context_tokens_max: number | null;
}

/** Millionths of a currency for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The rules of the native dialects, and of runs without rules of their own. */
export const RUN_RULES: RunRules = {
  rounds_max: 20,
  order: 'disjoint',
  on_held: 'pause',
  repairs_max: 1,
  pivot_after: null,
  tokens_max: null,
  cost_max: null,
  prices: null,
  context_tokens_max: null,
};

/** The rules in which the text dialects differ. */
const RULES_OF: Readonly<Record<TextDialect, Partial<RunRules>>> = {
  blocks: { on_held: 'explain' },
  'tools-xml': {},
  yips: { rounds_max: 6, pivot_after: 2 },
};

/** The rules of a dialect, as its specification has them. */
export const rulesOf = (dialect: TextDialect): Partial<RunRules> => ({
  rounds_max: RUN_RULES.rounds_max,
  order: isSequential(dialect) ? 'sequence' : 'disjoint',
  ...RULES_OF[dialect],
});

/** Rounds that a summary leaves unchanged, so that the model still sees its latest steps. */
export const ROUNDS_KEPT = 2;

export const LIMIT_TEXT = 'Stopped: maximum iteration limit reached.';
export const repairText = (problems: readonly string[]): string =>
  `Nothing of the last message was run, because its calls can't be read: ${problems.join('; ')}. Send the message again with this put right.`;
export const UNRUN_TEXT = 'Note: no call of that message was run, because another one waits for a person.';
export const summaryText = (summary: string): string => `What was said and done before, in short:\n${summary}`;
export const COMPACT_PROMPT =
  'Summarise the conversation so far for yourself, who will go on with it and see nothing else of it: the task as it was given, what was found and decided, which files were changed and how, what failed and why, and what is left to do. Name paths and names exactly. Call no tools.';
