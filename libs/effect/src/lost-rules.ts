// SPDX-License-Identifier: Apache-2.0
import { files, type EffectFinding } from './finding.ts';
import { lostInAll, type LostFiles } from './lost-files.ts';
import type { EffectSettings } from './settings.ts';

/** How many counted files there are. */
export interface Totals {
  readonly now: number;
  /** without those that the series made */
  readonly others: number;
  /** when the series began: those, and what it deleted since */
  readonly atStart: number;
}
export type Total = () => Promise<Totals>;

/** The fewest lost files that may be many. */
export const leastOf = ({
  lost_many: { few_files, some_files, many_files },
}: Pick<EffectSettings, 'lost_many'>): number => Math.min(few_files, some_files, many_files);

/** Answers whether so many lost files of all are many. */
function isMany(lost: number, all: number, settings: EffectSettings['lost_many']): boolean {
  const { few_files, few_share, some_files, some_share, many_files } = settings;
  const reaches = (count: number, share: number): boolean => lost >= count && lost >= share * all;
  return reaches(few_files, few_share) || reaches(some_files, some_share) || lost >= many_files;
}

/** Finds that one effect loses many files. */
export async function lostMany(
  lost: LostFiles,
  { lost_many }: EffectSettings,
  total: Total,
): Promise<EffectFinding | null> {
  const count = lostInAll(lost);
  if (count < leastOf({ lost_many })) return null;
  const all = Math.max((await total()).others, count);
  if (!isMany(count, all, lost_many)) return null;
  const message = `${phrasesOf(lost)} of ${files(all)}`;
  return { rule: 'effect.lost_many', mode: lost_many.mode, size: count, message };
}

/**
 * Finds that a series of effects lost many files of those that stood when its window began. Files that are gone or
 * emptied, and those that became copies of another, count as in one effect: it makes no difference how many calls did
 * it. Rewritten ones count for a share, since an hour's work rewrites more than a call does.
 */
export async function lostSeries(
  lost: LostFiles,
  { lost_many, lost_series }: EffectSettings,
  total: Total,
): Promise<EffectFinding | null> {
  const { deleted, emptied, rewritten, madeBinary, replaced, unread, unseen } = lost;
  const count =
    deleted + emptied + madeBinary + replaced + unread + unseen + (rewritten - madeBinary) / lost_series.factor;
  if (count < leastOf({ lost_many })) return null;
  const [size, all] = [lostInAll(lost), Math.max((await total()).atStart, lostInAll(lost))];
  if (!isMany(count, all, lost_many)) return null;
  const message = `${phrasesOf(lost)} of ${files(all)}, together with the calls before it`;
  return { rule: 'effect.lost_series', mode: lost_series.mode, size, message };
}

/** What was seen, and what was not. */
function phrasesOf({ deleted, emptied, rewritten, replaced, unread, unseen }: LostFiles): string {
  const parts = [
    ['deletes', deleted],
    ['empties', emptied],
    ['rewrites', rewritten],
    ['gives the same content to', replaced],
    ['rewrites without comparison', unread],
  ] as const;
  const seen = parts.filter(([, some]) => some > 0).map(([verb, some]) => `${verb} ${some}`);
  return [...seen, ...(unseen > 0 ? [`may lose up to ${unseen} more that were not compared`] : [])].join(', ');
}
