// SPDX-License-Identifier: Apache-2.0
// A tree of files as the rows that are in view of a reader: those of open directories.
import type { TreeEntry } from '@writ/client/web';

/** What is known of a directory's entries. */
export type Listing =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  /** `isCut`: there are more entries than were read */
  | { readonly state: 'read'; readonly entries: readonly TreeEntry[]; readonly isCut: boolean };

/** An entry, or a note about its directory. Levels begin at 1, as those of WAI-ARIA do. */
export type TreeRow =
  | {
      readonly kind: TreeEntry['state']['kind'];
      readonly path: string;
      readonly name: string;
      readonly level: number;
      readonly isOpen: boolean;
      readonly isBusy: boolean;
      readonly place: number;
      readonly count: number;
    }
  | {
      readonly kind: 'note';
      readonly path: string;
      readonly level: number;
      readonly note: 'loading' | 'empty' | 'cut' | { readonly error: unknown };
    };
export type EntryRow = Exclude<TreeRow, { kind: 'note' }>;

export const ROOT = '';
/** The directory that has an entry. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The directories above a path, from the top, without the root. */
export function ancestorsOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'));
}

/** Directories first, each by its name. The order is the same in every language and place. */
export const inOrder = (entries: readonly TreeEntry[]): readonly TreeEntry[] =>
  entries.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
const rankOf = ({ state }: TreeEntry): number => (state.kind === 'dir' ? 0 : 1);

type ListingOf = (directory: string) => Listing | undefined;

/**
 * The directories whose entries have to be read: the root, and those that are open and are in a directory that was
 * read. One that another snapshot has and this one lacks isn't asked for.
 */
export function wantedOf(open: ReadonlySet<string>, listingOf: ListingOf): readonly string[] {
  const wanted = [ROOT];
  for (const directory of wanted) {
    const listing = listingOf(directory);
    if (listing?.state !== 'read') continue;
    for (const { path, state } of listing.entries) if (state.kind === 'dir' && open.has(path)) wanted.push(path);
  }
  return wanted;
}

/** The rows of the tree, from the top. */
export function rowsOf(open: ReadonlySet<string>, listingOf: ListingOf): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (directory: string, level: number): void => {
    const listing = listingOf(directory) ?? { state: 'loading' };
    const note = (text: Extract<TreeRow, { kind: 'note' }>['note']): unknown =>
      rows.push({ kind: 'note', path: directory, level, note: text });
    if (listing.state === 'loading') return void note('loading');
    if (listing.state === 'failed') return void note({ error: listing.error });
    if (listing.entries.length === 0) return void note('empty');
    for (const [at, { path, state }] of listing.entries.entries()) {
      const isOpen = state.kind === 'dir' && open.has(path);
      rows.push({
        kind: state.kind,
        path,
        name: nameOf(path),
        level,
        isOpen,
        isBusy: isOpen && (listingOf(path)?.state ?? 'loading') === 'loading',
        place: at + 1,
        count: listing.entries.length,
      });
      // As deep as paths are: 4,096 characters have 2,048 segments at most.
      if (isOpen) add(path, level + 1);
    }
    if (listing.isCut) note('cut');
  };
  add(ROOT, 1);
  return rows;
}
