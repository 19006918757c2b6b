// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (unread is lost): a file that is not compared counts as lost, or as its share of the keyed sample. So long
// files, or many, hide nothing.
import type { EffectContents } from './contents.ts';
import type { ContentFacts } from './content-facts.ts';
import { atMost, isComparable, sampleOf } from './sample.ts';
import { OWN_SHARE, sharedContents, type UnchangedFiles } from './copies.ts';
import { namesakes, type ChangedFiles, type FileChange, type NewFile } from './changed-files.ts';
import type { GitRetention, Suspect } from './git-retention.ts';

/** A file of less than this share of its size is lost, whatever its content. */
const SHRUNK_SHARE = 0.1;
/** A file with less than this share of its words left is lost. */
const KEPT_SHARE = 0.2;
/** A file with less than this share of its order left is lost, although all of its words may exist. */
const ORDERED_SHARE = 0.15;
/** A file with this share of its words at another path was moved. */
const MOVED_SHARE = 0.5;

/** How many files an effect loses, and how. All counts but `unseen` cover compared files only. */
export interface LostFiles {
  readonly deleted: number;
  readonly emptied: number;
  readonly rewritten: number;
  /** text files that are binary now; they are included in `rewritten` */
  readonly madeBinary: number;
  /** files that had different contents and have one in common now, or that of another file */
  readonly replaced: number;
  /** rewritten files that are too long to compare, or exceed the number of compared files */
  readonly unread: number;
  /** the most lost files among those outside the sample; 0 where all were compared */
  readonly unseen: number;
  /** in the sample: files that moved to another path with some of their words changed */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
}

export const lostInAll = ({ deleted, emptied, rewritten, replaced, unread, unseen }: LostFiles): number =>
  deleted + emptied + rewritten + replaced + unread + unseen;

type Fate = 'deleted' | 'emptied' | 'rewritten' | 'binary' | 'replaced' | 'unread' | null;
/** Answers whether a generator's mark at the head of the file is trusted. */
export type BelievesMark = (path: string) => boolean;
/** Files that are compared concurrently: most of the time is spent on reading contents. */
const AT_ONCE = 8;

/** The inputs that decide about the fate of files. */
export interface LossInputs {
  readonly contents: EffectContents;
  readonly git: GitRetention;
  /** selects the files to compare where there are many */
  readonly key: Uint8Array;
  readonly believesMark: BelievesMark;
  readonly unchanged: UnchangedFiles;
  /** the fewest lost files that matter: below them the workspace is not searched for a copy's original */
  readonly least: number;
}

/** A file that is lost unless git keeps it; `facts` is null where it was not compared. */
interface Suspected extends Suspect {
  readonly fate: NonNullable<Fate>;
  /** in the keyed sample, which represents the files outside it */
  readonly isSampled: boolean;
  /** the change, where the file is lost only if its current content exists elsewhere too */
  readonly ifCopy: FileChange | null;
}
type Moved = LostFiles['moves'][number];

/**
 * Finds the lost files. A file is lost when it is deleted, emptied, or rewritten beyond recognition, and was neither
 * moved, nor kept by git, nor generated.
 */
export async function lostFiles(changed: ChangedFiles, witnesses: LossInputs): Promise<LostFiles> {
  const hollowed = changed.modified.filter(isHollowed);
  const reworked = changed.modified.filter((each) => !isHollowed(each));
  const places = new Map(namesakes(changed.deleted, changed.created).map(({ from, to }) => [from, to]));
  const moves: Moved[] = [];
  const fates = { deleted: 0, emptied: 0, rewritten: 0, binary: 0, replaced: 0, unread: 0 };
  let unseen = 0;
  const shared = await sharedContents(changed, witnesses.contents);
  for (const files of [[...changed.deleted, ...hollowed], reworked]) {
    const sample = await sampleOf(files, witnesses.key, witnesses.contents);
    const found = [
      ...(await lookInto(sample.sampled, true, { places, shared }, witnesses)),
      ...(await lookInto(sample.long, false, { places, shared }, witnesses)),
    ];
    moves.push(...found.filter((each) => 'to' in each));
    const suspects = await withoutOriginals(
      found.filter((each) => 'fate' in each),
      fates,
      witnesses,
    );
    const kept = await witnesses.git.kept(suspects);
    const lost = suspects.filter((suspect) => !kept.has(suspect));
    for (const { fate } of lost) fates[fate] += 1;
    for (const file of sample.unread) {
      const fate = unreadFate(file);
      if (fate !== null) fates[fate] += 1;
    }
    unseen += atMost(sample.rest, lost.filter(({ isSampled }) => isSampled).length, sample.sampled.length);
  }
  const { deleted, emptied, rewritten, binary, replaced, unread } = fates;
  return { deleted, emptied, rewritten: rewritten + binary, madeBinary: binary, replaced, unread, unseen, moves };
}

/** Removes suspects that would be lost only as a copy, and are none: they were mostly rewritten. */
async function withoutOriginals(
  suspects: readonly Suspected[],
  fates: Readonly<Record<string, number>>,
  { unchanged, least }: LossInputs,
): Promise<readonly Suspected[]> {
  const inDoubt = suspects.flatMap(({ ifCopy }) => ifCopy ?? []);
  const most = suspects.length + Object.values(fates).reduce((sum, count) => sum + count, 0);
  const copies = inDoubt.length === 0 || most < least ? new Set() : await unchanged.copiedBy(inDoubt);
  return suspects.filter(({ ifCopy }) => ifCopy === null || copies.has(ifCopy));
}

/** Facts about the changes before any content is read. */
interface ChangeFacts {
  readonly places: ReadonlyMap<FileChange, NewFile>;
  /** contents that files with different former ones have now */
  readonly shared: ReadonlySet<string>;
}

async function lookInto(
  files: readonly FileChange[],
  isSampled: boolean,
  { places, shared }: ChangeFacts,
  { contents, believesMark }: LossInputs,
): Promise<readonly (Suspected | Moved)[]> {
  const found: (Suspected | Moved)[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(async (file): Promise<Suspected | Moved | null> => {
      const place = places.get(file);
      if (place !== undefined && (await hasMoved(contents, file, place))) return { from: file.path, to: place.path };
      const facts = await compared(contents, file, file.after);
      const fate = fateOf(file, facts, believesMark);
      const suspected = { path: file.path, facts, isSampled, ifCopy: null };
      if (fate !== null && fate !== 'rewritten') return { ...suspected, fate };
      if (!couldBeCopy(file, facts, believesMark)) return fate === null ? null : { ...suspected, fate };
      if (shared.has(file.after?.sha256 ?? '')) return { ...suspected, fate: 'replaced' };
      return fate === null ? { ...suspected, fate: 'replaced', ifCopy: file } : { ...suspected, fate };
    });
    found.push(...(await Promise.all(some)).filter((each) => each !== null));
  }
  return found;
}

const isHollowed = ({ before, after }: FileChange): boolean =>
  after !== null && before.size > 0 && after.size < before.size * SHRUNK_SHARE;

async function hasMoved(contents: EffectContents, from: FileChange, to: NewFile): Promise<boolean> {
  const facts = await compared(contents, from, to.after);
  return facts !== null && facts.kept >= MOVED_SHARE;
}

/** The fate of one file; null where it is not lost, whoever changed it. */
function fateOf(file: FileChange, facts: ContentFacts | null, believesMark: BelievesMark): Fate {
  if (facts === null || file.before.size === 0) return unreadFate(file);
  const fate = file.after === null || isHollowed(file) ? unreadFate(file) : reworkedFate(facts);
  return facts.generated && believesMark(file.path) ? null : fate;
}

/** The fate of a file whose content is not compared: always lost. An empty file had nothing to lose. */
function unreadFate(file: FileChange): Fate {
  if (file.before.size === 0) return null;
  if (file.after === null) return 'deleted';
  if (isHollowed(file)) return 'emptied';
  return file.before.kind === 'file' ? 'unread' : 'rewritten';
}

function reworkedFate({ binaryBefore, binaryAfter, kept, ordered }: ContentFacts): Fate {
  if (!binaryBefore && binaryAfter) return 'binary';
  return kept < KEPT_SHARE || ordered < ORDERED_SHARE ? 'rewritten' : null;
}

/** Answers whether a file that is not lost otherwise is lost if it equals another one. */
function couldBeCopy(
  { path, before, after }: FileChange,
  facts: ContentFacts | null,
  believesMark: BelievesMark,
): boolean {
  if (facts === null || before.size === 0 || after === null) return false;
  return facts.alike < OWN_SHARE && !(facts.generated && believesMark(path));
}

/** Null for contents that are too long to compare, and for links. */
async function compared(
  contents: EffectContents,
  { before }: FileChange,
  after: NewFile['after'] | null,
): Promise<ContentFacts | null> {
  if (!isComparable(before, after)) return null;
  return await contents.compare(before.sha256, after === null || after.kind !== 'file' ? null : after.sha256);
}
