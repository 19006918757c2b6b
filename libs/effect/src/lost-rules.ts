// SPDX-License-Identifier: Apache-2.0
import { files, type EffectFinding } from './finding.ts';
import { lostInAll, type LostFiles } from './lost-files.ts';
import type { EffectSettings } from './settings.ts';

/** The number of counted files. */
export interface Totals {
  readonly now: number;
  /** without those that the series created */
  readonly others: number;
  /** when the series began: the current ones, and those deleted since */
  readonly atStart: number;
}
export type Total = () => Promise<Totals>;

/** The smallest number of lost files that can count as many. */
export const leastOf = ({
  lost_many: { few_files, some_files, many_files },
}: Pick<EffectSettings, 'lost_many'>): number => Math.min(few_files, some_files, many_files);

/** Answers whether this number of lost files, out of all, counts as many. */
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
 * Finds that a series of effects lost many of the files that existed when its window began. Deleted and emptied files,
 * and those that became copies of another, count as in one effect: the number of calls makes no difference. Rewritten
 * ones count for a share, since an hour's work rewrites more than a call does.
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

/** Phrases for the counted losses, and for the possible ones outside the sample. */
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
