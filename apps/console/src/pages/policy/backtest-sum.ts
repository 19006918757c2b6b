// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, BacktestPage } from '@writ/client/web';

export interface ChangeCount {
  readonly tool_id: string;
  readonly from: AutonomyMode;
  readonly to: AutonomyMode;
  readonly count: number;
}

/** What a backtest found on all of its pages. */
export interface BacktestSum {
  readonly examined: number;
  readonly skipped: number;
  readonly changed: number;
  readonly changes: readonly ChangeCount[];
  readonly examples: BacktestPage['examples'];
  readonly effectsChanged: number;
  readonly effectExamples: NonNullable<BacktestPage['effects']>['examples'];
  readonly redactionsChanged: number;
}

const MODES: readonly AutonomyMode[] = ['autopilot', 'soft_gate', 'escalated', 'no_go'];

/** Whether a call would be more supervised than it was: above 0; less: below. */
export const strictnessOf = ({ from, to }: Pick<ChangeCount, 'from' | 'to'>): number =>
  MODES.indexOf(to) - MODES.indexOf(from);

/** The pages as one. Changes that let more through come first: they are those to look at. */
export function sumOf(pages: readonly BacktestPage[]): BacktestSum {
  const sum = (of: (page: BacktestPage) => number): number => pages.reduce((all, page) => all + of(page), 0);
  const effects = pages.flatMap((page) => page.effects ?? []);
  return {
    examined: sum(({ examined }) => examined),
    skipped: sum(({ skipped }) => skipped),
    changed: sum(({ changed }) => changed),
    changes: merged(pages.flatMap(({ changes }) => changes)),
    examples: pages.flatMap(({ examples }) => examples),
    effectsChanged: effects.reduce((all, { changed }) => all + changed, 0),
    effectExamples: effects.flatMap(({ examples }) => examples),
    redactionsChanged: sum(({ redactions }) => redactions?.changed ?? 0),
  };
}

function merged(changes: readonly ChangeCount[]): readonly ChangeCount[] {
  const counts = new Map<string, ChangeCount>();
  for (const change of changes) {
    const key = JSON.stringify([change.tool_id, change.from, change.to]);
    counts.set(key, { ...change, count: change.count + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()].toSorted(
    (one, other) => strictnessOf(one) - strictnessOf(other) || other.count - one.count,
  );
}
