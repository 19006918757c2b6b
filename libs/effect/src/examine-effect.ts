// SPDX-License-Identifier: Apache-2.0
import type { Change } from '@writ/contract';
import { changedFiles, extensionOf, type ChangedFiles } from './changed-files.ts';
import type { EffectContents } from './contents.ts';
import { UnchangedFiles } from './copies.ts';
import { files, type EffectFinding } from './finding.ts';
import { mayMakeUnreachable } from './git-directory.ts';
import { GitRetention } from './git-retention.ts';
import { historyLosses, type HistoryWays } from './history.ts';
import { lostFiles, lostInAll, type LostFiles } from './lost-files.ts';
import { leastOf, lostMany, lostSeries, type Total, type Totals } from './lost-rules.ts';
import { CountedPaths } from './paths.ts';
import type { EffectSettings } from './settings.ts';
import { stashLosses } from './stash-losses.ts';
import { listed, startsLater } from './starts-later.ts';
import { EffectWindow, type PastEffect } from './window.ts';

/** The fewest files of a workspace whose emptying is a finding. */
const WORKSPACE_FILES_MIN = 5;
const NOTHING_LOST: LostFiles = {
  deleted: 0,
  emptied: 0,
  rewritten: 0,
  madeBinary: 0,
  replaced: 0,
  unread: 0,
  unseen: 0,
  moves: [],
};

/** An effect, with the inputs of its examination. */
export interface ExaminedEffect {
  readonly changes: readonly Change[];
  readonly settings: EffectSettings;
  readonly contents: EffectContents;
  /** selects the files to compare where there are many; must be secret from the author of the effect */
  readonly key: Uint8Array;
  /** when the effect is examined, in milliseconds; objects that git would keep until then must still exist */
  readonly now: number;
  /**
   * the effects of the same series within `lost_series.window_ms`, the earliest first; called only where this effect
   * touches a counted file, or may make something unreachable for git
   */
  readonly past: () => Promise<readonly PastEffect[]>;
}

/** The result of an examination. */
export interface EffectExamination {
  /** in the order of `EFFECT_RULES` */
  readonly findings: readonly EffectFinding[];
  /** counted files that this effect loses */
  readonly lost: number;
  /** an additional finding where the call was classified as read-only; null where it changed no counted file */
  readonly readWrote: EffectFinding | null;
}

/**
 * Examines what an effect does to the files of a workspace, whatever made it. Deterministic, except for the sample of
 * compared files where there are more than 2,048 of a kind. Rejects only where `contents` or `past` do: then nothing is
 * known, and the effect MUST NOT commit.
 */
export async function examineEffect({
  changes,
  settings,
  contents,
  key,
  now,
  past,
}: ExaminedEffect): Promise<EffectExamination> {
  const paths = new CountedPaths(settings.regenerable);
  const all = await changedFiles(changes, paths, contents);
  const touched = all.deleted.length + all.moved.length + all.modified.length + all.copied.length;
  const isAlone = touched === 0 && !changes.some(mayMakeUnreachable);
  const window = await EffectWindow.of(isAlone ? [] : await past(), paths, contents);
  // INVARIANT (own files are no loss): a series may remove the files that it created.
  const changed = window.isEmpty
    ? all
    : await changedFiles(
        changes.map((change) => (window.removesOwn(change) ? { ...change, before: null } : change)),
        paths,
        contents,
      );
  // A mark that the series may have written itself proves nothing.
  const believesMark = (path: string): boolean => !window.changed(path);
  const lost = isTooFew(changed, settings)
    ? NOTHING_LOST
    : await lostFiles(changed, {
        contents,
        git: new GitRetention(changes, contents, now),
        key,
        believesMark,
        unchanged: new UnchangedFiles(changes, paths, contents),
        least: leastOf(settings),
      });
  const total = totalOf(window, paths, contents);
  const renamed = [...changed.moved.map(({ from, to }) => ({ from: from.path, to: to.path })), ...lost.moves].filter(
    ({ from, to }) => extensionOf(from) !== extensionOf(to),
  );
  const findings = [
    await emptiedWorkspace(all, changed, total),
    await lostMany(lost, settings, total),
    await seriesFinding(changes, window, total, { settings, contents, key, now, paths }),
    await lostHistory(changes, window, paths, settings, { contents, key, now }),
    binaryOverText(lost, settings),
    await renamedMany(renamed.length, settings, total),
    await startsLater(changes, settings, contents),
  ];
  return {
    findings: findings.filter((finding) => finding !== null),
    lost: lostInAll(lost),
    readWrote: readWrote(touched, settings),
  };
}

/** @param touched counted files that existed and were changed or deleted */
function readWrote(touched: number, { read_wrote: { mode } }: EffectSettings): EffectFinding | null {
  if (touched === 0) return null;
  return {
    rule: 'effect.read_wrote',
    mode,
    size: touched,
    message: `changes ${files(touched)}, though its arguments were read as changing none`,
  };
}

/**
 * Rewritten files are compared only where they could be many. Deleted and emptied ones are always examined, since later
 * calls of the session add to them.
 */
function isTooFew({ deleted, modified }: ChangedFiles, { lost_many, binary_over_text }: EffectSettings): boolean {
  const least = Math.min(leastOf({ lost_many }), binary_over_text.files);
  const hollowed = modified.filter(({ before, after }) => (after?.size ?? 0) < before.size / 2).length;
  return deleted.length + hollowed === 0 && modified.length < least;
}

/** Judges the series including this effect as one, relative to the state when the window began. */
async function seriesFinding(
  changes: readonly Change[],
  window: EffectWindow,
  total: Total,
  { settings, contents, key, now, paths }: Omit<ExaminedEffect, 'changes' | 'past'> & { readonly paths: CountedPaths },
): Promise<EffectFinding | null> {
  if (window.isEmpty) return null;
  const all = await window.with(changes, contents);
  const changed = await changedFiles(all, paths, contents);
  if (changed.deleted.length + changed.modified.length < leastOf(settings)) return null;
  const git = new GitRetention(changes, contents, now, window.repositories);
  // A file that this call moves is no change of the series: its first state moved along.
  const unchanged = new UnchangedFiles([...all, ...changes], paths, contents);
  const lost = await lostFiles(changed, {
    contents,
    git,
    key,
    believesMark: () => true,
    unchanged,
    least: leastOf(settings),
  });
  return await lostSeries(lost, settings, total);
}

/**
 * INVARIANT (own files do not dilute): the total from which the series loses a share excludes files that the series
 * created.
 */
function totalOf(window: EffectWindow, paths: CountedPaths, contents: EffectContents): Total {
  let counted: Promise<Totals> | undefined;
  const count = async (): Promise<Totals> => {
    const gone = window.gone();
    let [created, still] = [0, 0];
    const now = await contents.count(
      (path) => {
        if (!paths.isCounted(path)) return false;
        if (window.created(path)) created += 1;
        if (gone.has(path)) still += 1;
        return true;
      },
      (directory) => paths.isSkipped(directory),
    );
    return { now, others: now - created, atStart: now - created + gone.size - still };
  };
  return () => (counted ??= count());
}

/**
 * INVARIANT (never all): no policy and no approval lets a call remove everything from a workspace. Files that the
 * series created belong to the workspace, but they alone are no loss.
 */
async function emptiedWorkspace(
  { deleted, moved, created }: ChangedFiles,
  ofOthers: ChangedFiles,
  total: Total,
): Promise<EffectFinding | null> {
  if (ofOthers.deleted.length === 0) return null;
  if (moved.length > 0 || created.length > 0 || deleted.length < WORKSPACE_FILES_MIN) return null;
  if ((await total()).now > deleted.length) return null;
  return {
    rule: 'effect.emptied_workspace',
    mode: 'no_go',
    size: deleted.length,
    message: `deletes all ${files(deleted.length)} of the workspace`,
  };
}

async function lostHistory(
  changes: readonly Change[],
  window: EffectWindow,
  paths: CountedPaths,
  { history: { mode } }: EffectSettings,
  ways: HistoryWays,
): Promise<EffectFinding | null> {
  const taken = await historyLosses(changes, paths, ways);
  // A missing or broken repository has no stashes left.
  const losses = taken.length > 0 ? taken : await stashLosses(changes, window, paths, ways);
  return losses.length === 0 ? null : { rule: 'effect.history', mode, size: losses.length, message: listed(losses) };
}

function binaryOverText(
  { madeBinary }: LostFiles,
  { binary_over_text: { mode, files: least } }: EffectSettings,
): EffectFinding | null {
  if (madeBinary < least) return null;
  return {
    rule: 'effect.binary_over_text',
    mode,
    size: madeBinary,
    message: `overwrites ${files(madeBinary)} of text with binary content`,
  };
}

async function renamedMany(
  count: number,
  { renamed_many: { mode, files: least, share } }: EffectSettings,
  total: Total,
): Promise<EffectFinding | null> {
  if (count < least || count < share * (await total()).others) return null;
  return { rule: 'effect.renamed_many', mode, size: count, message: `moves ${files(count)} to another extension` };
}
