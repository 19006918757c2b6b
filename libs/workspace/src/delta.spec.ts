// SPDX-License-Identifier: Apache-2.0
import type { Change } from '@writ/contract';
import { applyDelta } from './apply-delta.ts';
import { deltaOf, parseDelta } from './delta.ts';
import { rebase } from './rebase.ts';
import { emptyTree, snapshotIdOf } from './snapshot.ts';
import { BlobMap, DIR, file, modelOf } from './tree-model.contract.ts';

const BASE = snapshotIdOf(emptyTree().root);
const make = (path: string, text = 'new'): Change => ({ path, before: null, after: file(text) });
const mkdir = (path: string): Change => ({ path, before: null, after: DIR });
const drop = (path: string, text: string): Change => ({ path, before: file(text), after: null });
const rmdir = (path: string): Change => ({ path, before: DIR, after: null });

describe('parseDelta', () => {
  const state = file('x');
  it.each([
    ['no schema', {}],
    ['an unknown member', { v: 1, base: BASE, changes: [], extra: 1 }],
    [
      'a change that changes nothing',
      { v: 1, base: BASE, changes: [{ path: 'a', before: state, after: { ...state } }] },
    ],
    ['changes out of order', { v: 1, base: BASE, changes: [make('b'), make('a')] }],
    ['a path twice', { v: 1, base: BASE, changes: [make('a'), make('a')] }],
    ['a path with a parent segment', { v: 1, base: BASE, changes: [make('a/../b')] }],
    ['an absolute path', { v: 1, base: BASE, changes: [make('/workspace/a')] }],
    ['a path in another form', { v: 1, base: BASE, changes: [make('a//b')] }],
    ['a name with a line feed', { v: 1, base: BASE, changes: [make('a\n')] }],
    [
      'a directory with content',
      { v: 1, base: BASE, changes: [{ path: 'a', before: null, after: { ...DIR, sha256: state.sha256 } }] },
    ],
    [
      'a file without content',
      { v: 1, base: BASE, changes: [{ path: 'a', before: null, after: { ...state, sha256: null } }] },
    ],
    [
      'a file without a mode',
      { v: 1, base: BASE, changes: [{ path: 'a', before: null, after: { ...state, mode: null } }] },
    ],
    [
      'a link with a mode',
      { v: 1, base: BASE, changes: [{ path: 'a', before: { ...state, kind: 'symlink' }, after: null }] },
    ],
  ])('refuses %s', (_, value) => {
    expect(() => parseDelta(value)).toThrow(expect.objectContaining({ code: 'effect.invalid' }));
  });

  it('accepts a change of the mode alone', () => {
    expect(
      parseDelta({ v: 1, base: BASE, changes: [{ path: 'a', before: state, after: { ...state, mode: '755' } }] })
        .changes,
    ).toHaveLength(1);
  });
});

describe('applying a delta', () => {
  const blobs = new BlobMap();
  const conflict = async (root: string, ...changes: Change[]): Promise<unknown> =>
    await applyDelta(blobs.reader, root, deltaOf(BASE, changes)).then(
      () => 'applied',
      (error: { code: string; paths: unknown }) => error.paths,
    );
  let root: string;
  beforeAll(async () => {
    root = await blobs.tree({ 'd/one': '1', 'd/two': '2', f: 'f' });
  });

  it('keeps a directory whose last entry is deleted', async () => {
    const after = await blobs.apply(root, deltaOf(BASE, [drop('d/one', '1'), drop('d/two', '2')]));
    expect([...(await modelOf(blobs.reader, after)).keys()]).toEqual(['d', 'f']);
  });

  it('deletes a directory only with all its entries', async () => {
    expect(await conflict(root, rmdir('d'))).toEqual(['d']);
    expect(await conflict(root, rmdir('d'), drop('d/one', '1'))).toEqual(['d']);
    const after = await blobs.apply(root, deltaOf(BASE, [rmdir('d'), drop('d/one', '1'), drop('d/two', '2')]));
    expect([...(await modelOf(blobs.reader, after)).keys()]).toEqual(['f']);
  });

  it('replaces a directory by a file, and a file by a directory', async () => {
    const becomesFile: Change = { path: 'd', before: DIR, after: file('now a file') };
    expect(await conflict(root, becomesFile)).toEqual(['d']);
    const becomesDir: Change = { path: 'f', before: file('f'), after: DIR };
    const after = await blobs.apply(
      root,
      deltaOf(BASE, [becomesFile, drop('d/one', '1'), drop('d/two', '2'), becomesDir, make('f/x')]),
    );
    expect([...(await modelOf(blobs.reader, after)).entries()].map(([path, state]) => `${path} ${state.kind}`)).toEqual(
      ['d file', 'f dir', 'f/x file'],
    );
  });

  it('names all paths with another state', async () => {
    expect(await conflict(root, drop('d/one', 'not this'), make('f'), drop('gone', 'x'))).toEqual([
      'd/one',
      'f',
      'gone',
    ]);
    expect(await conflict(root, { path: 'f', before: file('f', '755'), after: null })).toEqual(['f']);
  });

  it('makes no directory that the delta does not name', async () => {
    expect(await conflict(root, make('new/file'))).toEqual(['new']);
    expect(await conflict(root, make('f/below'))).toEqual(['f']);
    expect(await conflict(root, mkdir('new'), make('new/file'))).toBe('applied');
  });

  it('leaves no trace when it throws', async () => {
    const before = await modelOf(blobs.reader, root);
    await conflict(root, make('d/three'), drop('f', 'other'));
    expect(await modelOf(blobs.reader, root)).toEqual(before);
  });
});

describe('rebasing', () => {
  const blobs = new BlobMap();
  let base: string;
  beforeAll(async () => {
    base = await blobs.tree({ 'd/one': '1', f: 'f' });
  });
  const onto = async (ours: Change[], theirs: Change[]): Promise<unknown> => {
    const head = await blobs.apply(base, deltaOf(snapshotIdOf(base), theirs));
    const rebased = await rebase(blobs.reader, deltaOf(snapshotIdOf(base), ours), base, head);
    return 'conflicts' in rebased ? rebased.conflicts : rebased.delta.changes.map((change) => change.path);
  };

  it.each<[string, Change[], Change[], string[]]>([
    ['another file', [make('d/two')], [make('d/three')], ['d/two']],
    ['the same directory made by both', [mkdir('n'), make('n/a')], [mkdir('n'), make('n/b')], ['n/a']],
  ])('goes past %s', async (_, ours, theirs, paths) => {
    expect(await onto(ours, theirs)).toEqual(paths);
  });

  it.each<[string, Change[], Change[], string[]]>([
    [
      'the same file',
      [{ path: 'f', before: file('f'), after: file('a') }],
      [{ path: 'f', before: file('f'), after: file('b') }],
      ['f'],
    ],
    ['the same file made alike by both', [make('n')], [make('n')], ['n']],
    ['a file in a directory that went', [make('d/two')], [drop('d/one', '1'), rmdir('d')], ['d/two']],
    ['a directory going in which a file was made', [drop('d/one', '1'), rmdir('d')], [make('d/two')], ['d']],
    [
      'a file in a directory that became a file',
      [make('d/two')],
      [drop('d/one', '1'), { path: 'd', before: DIR, after: file('x') }],
      ['d/two'],
    ],
    ['a directory made where a file was made', [mkdir('n'), make('n/a')], [make('n')], ['n', 'n/a']],
  ])('stops at %s', async (_, ours, theirs, paths) => {
    expect(await onto(ours, theirs)).toEqual(paths);
  });
});
