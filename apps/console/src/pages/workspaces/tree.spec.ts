// SPDX-License-Identifier: Apache-2.0
import type { TreeEntry } from '@writ/client/web';
import fc from 'fast-check';
import { foundByTyping, moveOf } from './tree-moves.ts';
import { ancestorsOf, inOrder, parentOf, rowsOf, wantedOf, type Listing } from './tree-rows.ts';

const entry = (path: string, kind: 'file' | 'dir' = 'file'): TreeEntry => ({
  path,
  state: { kind, mode: null, sha256: null, size: 0 },
});
const read = (...entries: TreeEntry[]): Listing => ({ state: 'read', entries: inOrder(entries), isCut: false });
const LISTINGS = new Map<string, Listing>([
  ['', read(entry('z.txt'), entry('src', 'dir'), entry('Docs', 'dir'), entry('a.txt'))],
  ['src', read(entry('src/main.ts'), entry('src/lib', 'dir'))],
  ['src/lib', read()],
]);
const listingOf = (path: string): Listing | undefined => LISTINGS.get(path);
const shown = (...open: string[]) => rowsOf(new Set(open), listingOf);
const pathsOf = (...open: string[]) => shown(...open).map((row) => (row.kind === 'note' ? row.note : row.path));

describe('the rows of a tree', () => {
  it('are those of open directories, directories first', () => {
    expect(pathsOf()).toEqual(['Docs', 'src', 'a.txt', 'z.txt']);
    expect(pathsOf('src', 'src/lib')).toEqual(['Docs', 'src', 'src/lib', 'empty', 'src/main.ts', 'a.txt', 'z.txt']);
  });

  it('of a closed directory are not there, whatever is open below it', () => {
    expect(pathsOf('src/lib')).toEqual(pathsOf());
  });

  it('have their level, their place and the number of their siblings', () => {
    expect(shown('src')[2]).toMatchObject({ path: 'src/lib', name: 'lib', level: 2, place: 1, count: 2 });
  });

  it('say that a directory is being read', () => {
    expect(shown('Docs').slice(0, 2)).toMatchObject([
      { path: 'Docs', isBusy: true },
      { note: 'loading', level: 2 },
    ]);
  });

  it('say that a directory has more entries than were read', () => {
    const cut = (): Listing => ({ state: 'read', entries: [entry('a')], isCut: true });
    expect(rowsOf(new Set(), cut).at(-1)).toMatchObject({ note: 'cut' });
  });
});

it('a directory is read when it is open and its own directory has it', () => {
  expect(wantedOf(new Set(['src', 'src/lib', 'gone', 'gone/below']), listingOf)).toEqual(['', 'src', 'src/lib']);
  expect(wantedOf(new Set(['src/lib']), listingOf)).toEqual(['']);
});

it('the directories above a path are those that its parents are', () => {
  expect(ancestorsOf('a/b/c.txt')).toEqual(['a', 'a/b']);
  expect(ancestorsOf('c.txt')).toEqual([]);
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-c]{1,2}$/), { minLength: 1 }), (segments) => {
      const path = segments.join('/');
      const climbed: string[] = [];
      for (let at = parentOf(path); at !== ''; at = parentOf(at)) climbed.unshift(at);
      expect(ancestorsOf(path)).toEqual(climbed);
    }),
  );
});

describe('the keyboard of a tree', () => {
  it.each([
    [null, 'ArrowDown', { to: 'Docs' }],
    ['Docs', 'ArrowDown', { to: 'src' }],
    ['src', 'ArrowRight', { to: 'src/lib' }],
    ['Docs', 'ArrowRight', { open: ['Docs'] }],
    ['src/lib', 'ArrowLeft', { to: 'src' }],
    ['src', 'ArrowLeft', { close: 'src' }],
    ['a.txt', 'ArrowRight', null],
    ['Docs', 'ArrowUp', null],
    ['Docs', 'End', { to: 'z.txt' }],
    ['z.txt', 'Home', { to: 'Docs' }],
    ['a.txt', 'Enter', { choose: 'a.txt' }],
    ['a.txt', '*', { open: ['Docs', 'src'] }],
    ['a.txt', 'x', null],
  ])('at %s, %s does %o', (active, key, move) => {
    expect(moveOf(shown('src'), active, key)).toEqual(move);
  });

  it('finds rows by the letters that are typed, from the active row on and around', () => {
    expect(foundByTyping(shown('src'), 'src', 'm')).toBe('src/main.ts');
    expect(foundByTyping(shown('src'), 'src/main.ts', 'd')).toBe('Docs');
    expect(foundByTyping(shown(), 'src', 'sr')).toBe('src');
    expect(foundByTyping(shown(), null, 'q')).toBeNull();
  });

  it('never leads out of the tree', () => {
    const keys = fc.array(fc.constantFrom('ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End'));
    fc.assert(
      fc.property(keys, (pressed) => {
        const open = new Set<string>();
        let active: string | null = null;
        for (const key of pressed) {
          const move = moveOf(rowsOf(open, listingOf), active, key);
          if (move !== null && 'to' in move) active = move.to;
          if (move !== null && 'open' in move) for (const path of move.open) open.add(path);
          if (move !== null && 'close' in move) open.delete(move.close);
          const rows = rowsOf(open, listingOf);
          if (active !== null) expect(rows.some((row) => row.kind !== 'note' && row.path === active)).toBe(true);
        }
      }),
    );
  });
});
