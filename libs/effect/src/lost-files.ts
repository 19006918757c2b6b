// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (unread is lost): what is not compared counts as lost, or for as much as the keyed sample it was drawn
// beside. So nothing is gained by making files too long to compare, or many.
import type { EffectContents } from './contents.ts';
import type { ContentFacts } from './content-facts.ts';
import { atMost, isComparable, sampleOf } from './sample.ts';
import { OWN_SHARE, sharedContents, type UnchangedFiles } from './copies.ts';
import { namesakes, type ChangedFiles, type FileChange, type NewFile } from './changed-files.ts';
import type { GitWitness, Suspect } from './git-witness.ts';

/** A file of less than this share of its size is lost whatever it holds. */
const SHRUNK_SHARE = 0.1;
/** A file with less than this share of its words left is lost. */
const KEPT_SHARE = 0.2;
/** A file with less than this share of its order left is lost, though its words may all be there. */
const ORDERED_SHARE = 0.15;
/** A file that kept this share of its words somewhere else was moved. */
const MOVED_SHARE = 0.5;

/** How many files an effect loses, and how. What was looked into alone, but for `unseen`. */
export interface LostFiles {
  readonly deleted: number;
  readonly emptied: number;
  readonly rewritten: number;
  /** text files that are binary now: among those that were rewritten */
  readonly madeBinary: number;
  /** files that held different contents and hold one now, or that of another file */
  readonly replaced: number;
  /** rewritten files that are too long to compare, or more than are compared */
  readonly unread: number;
  /** the most that may be lost among those that were not drawn; 0 where all were looked into */
  readonly unseen: number;
  /** of the sample: files that moved to another place with some of their words changed */
  readonly moves: readonly { readonly from: string; readonly to: string }[];
}

export const lostInAll = ({ deleted, emptied, rewritten, replaced, unread, unseen }: LostFiles): number =>
  deleted + emptied + rewritten + replaced + unread + unseen;

type Fate = 'deleted' | 'emptied' | 'rewritten' | 'binary' | 'replaced' | 'unread' | null;
/** Answers whether a generator's mark at the head of the file is believed. */
export type BelievesMark = (path: string) => boolean;
/** Files that are looked into at the same time: most of the time goes into reading contents. */
const AT_ONCE = 8;

/** What decides the fate of files. */
export interface LossWitnesses {
  readonly contents: EffectContents;
  readonly git: GitWitness;
  /** chooses which files are looked into where there are many */
  readonly key: Uint8Array;
  readonly believesMark: BelievesMark;
  readonly unchanged: UnchangedFiles;
  /** the fewest lost files that mean anything: below them nobody looks through the workspace for a copy's original */
  readonly least: number;
}

/** A file that is lost unless git keeps it; `facts` is null where it was not compared. */
interface Suspected extends Suspect {
  readonly fate: NonNullable<Fate>;
  /** of the keyed sample, which speaks for those that are not looked into */
  readonly isDrawn: boolean;
  /** the change, where the file is lost only if what it holds now stands elsewhere too */
  readonly ifCopy: FileChange | null;
}
type Moved = LostFiles['moves'][number];

/**
 * Finds the files that are lost: gone, emptied, or rewritten beyond recognition, and neither moved nor kept by git nor
 * made by a generator.
 */
export async function lostFiles(changed: ChangedFiles, witnesses: LossWitnesses): Promise<LostFiles> {
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
      ...(await lookInto(sample.drawn, true, { places, shared }, witnesses)),
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
    unseen += atMost(sample.rest, lost.filter(({ isDrawn }) => isDrawn).length, sample.drawn.length);
  }
  const { deleted, emptied, rewritten, binary, replaced, unread } = fates;
  return { deleted, emptied, rewritten: rewritten + binary, madeBinary: binary, replaced, unread, unseen, moves };
}

/** Leaves out what would be lost only as a copy, and is none: it was written anew in good part. */
async function withoutOriginals(
  suspects: readonly Suspected[],
  fates: Readonly<Record<string, number>>,
  { unchanged, least }: LossWitnesses,
): Promise<readonly Suspected[]> {
  const inDoubt = suspects.flatMap(({ ifCopy }) => ifCopy ?? []);
  const most = suspects.length + Object.values(fates).reduce((sum, count) => sum + count, 0);
  const copies = inDoubt.length === 0 || most < least ? new Set() : await unchanged.copiedBy(inDoubt);
  return suspects.filter(({ ifCopy }) => ifCopy === null || copies.has(ifCopy));
}

/** What is known of the changes before any content is read. */
interface Known {
  readonly places: ReadonlyMap<FileChange, NewFile>;
  /** contents that files with different ones before hold now */
  readonly shared: ReadonlySet<string>;
}

async function lookInto(
  files: readonly FileChange[],
  isDrawn: boolean,
  { places, shared }: Known,
  { contents, believesMark }: LossWitnesses,
): Promise<readonly (Suspected | Moved)[]> {
  const found: (Suspected | Moved)[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(async (file): Promise<Suspected | Moved | null> => {
      const place = places.get(file);
      if (place !== undefined && (await hasMoved(contents, file, place))) return { from: file.path, to: place.path };
      const facts = await compared(contents, file, file.after);
      const fate = fateOf(file, facts, believesMark);
      const suspected = { path: file.path, facts, isDrawn, ifCopy: null };
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

/** What became of one file; null where it is not lost, whoever did it. */
function fateOf(file: FileChange, facts: ContentFacts | null, believesMark: BelievesMark): Fate {
  if (facts === null || file.before.size === 0) return unreadFate(file);
  const fate = file.after === null || isHollowed(file) ? unreadFate(file) : reworkedFate(facts);
  return facts.generated && believesMark(file.path) ? null : fate;
}

/** What became of a file whose content is not looked into: lost, in any case. An empty file had nothing to lose. */
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

/** Answers whether a file that is not lost otherwise is lost if it holds what another one does. */
function couldBeCopy(
  { path, before, after }: FileChange,
  facts: ContentFacts | null,
  believesMark: BelievesMark,
): boolean {
  if (facts === null || before.size === 0 || after === null) return false;
  return facts.alike < OWN_SHARE && !(facts.generated && believesMark(path));
}

/** Null for contents that are too long to look into, and for links. */
async function compared(
  contents: EffectContents,
  { before }: FileChange,
  after: NewFile['after'] | null,
): Promise<ContentFacts | null> {
  if (!isComparable(before, after)) return null;
  return await contents.compare(before.sha256, after === null || after.kind !== 'file' ? null : after.sha256);
}
