// SPDX-License-Identifier: Apache-2.0
import { memoryBlobs } from '@writ/blobs';
import { LIMITS, type Change, type FileState, type TenantId } from '@writ/contract';
import { applyDelta, emptyTree, parseDelta, runAtOnce, snapshotIdOf, walk, type NodeReader } from '@writ/workspace';
import { newId } from '@writ/nest-kit';
import { readingUpload, uploadDelta, type Upload } from './upload-delta.ts';

const parseUpload = (changes: Parameters<typeof readingUpload>[0]): Upload => runAtOnce(readingUpload(changes));

const blobs = memoryBlobs();
const tenantId: TenantId = newId('tenant');
const reader: NodeReader = (sha256) => blobs.get(tenantId, sha256);
const DIR: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };
const file = (digit: number): FileState => ({
  kind: 'file',
  mode: '644',
  sha256: String(digit).repeat(64),
  size: digit,
});
const change = (path: string, after: FileState | null): Change => ({ path, before: null, after });

/** The tree after uploads on an empty one: the state of each path. */
async function upload(...uploads: readonly Change[][]): Promise<{ snapshot: string; tree: Record<string, string> }> {
  const empty = emptyTree();
  await blobs.putMany(
    tenantId,
    empty.nodes.map(({ bytes }) => bytes),
  );
  let root = empty.root;
  for (const changes of uploads) {
    const delta = parseDelta(await uploadDelta(reader, snapshotIdOf(root), parseUpload(changes)));
    const applied = await applyDelta(reader, root, delta);
    await blobs.putMany(
      tenantId,
      applied.nodes.map(({ bytes }) => bytes),
    );
    root = applied.root;
  }
  const tree: Record<string, string> = {};
  for await (const { path, entry } of walk(reader, root))
    tree[path] = entry.kind === 'dir' ? 'dir' : `${entry.kind} ${entry.size}`;
  return { snapshot: snapshotIdOf(root), tree };
}

describe('an upload', () => {
  it('creates missing directories, once', async () => {
    expect((await upload([change('a/b/c.txt', file(1)), change('a/b/d.txt', file(2))])).tree).toEqual({
      a: 'dir',
      'a/b': 'dir',
      'a/b/c.txt': 'file 1',
      'a/b/d.txt': 'file 2',
    });
  });

  it('replaces a path of any kind, and everything below it', async () => {
    const before = [change('a', file(1)), change('d/x/y', file(2)), change('d/z', file(3))];
    expect((await upload(before, [change('a', file(4))])).tree).toMatchObject({ a: 'file 4' });
    expect((await upload(before, [change('d', file(4))])).tree).toEqual({ a: 'file 1', d: 'file 4' });
    expect((await upload(before, [change('a', DIR), change('a/b', file(4))])).tree).toMatchObject({
      a: 'dir',
      'a/b': 'file 4',
    });
    expect(
      (await upload(before, [change('a', { kind: 'symlink', mode: null, sha256: '5'.repeat(64), size: 5 })])).tree,
    ).toMatchObject({ a: 'symlink 5' });
  });

  it('keeps an existing directory with its contents', async () => {
    expect((await upload([change('d/x', file(1))], [change('d', DIR)])).tree).toEqual({ d: 'dir', 'd/x': 'file 1' });
  });

  it('deletes a directory with its contents, named or not', async () => {
    const before = [change('d/x/y', file(2)), change('d/z', file(3)), change('e', file(1))];
    expect((await upload(before, [change('d', null)])).tree).toEqual({ e: 'file 1' });
    expect((await upload(before, [change('d', null), change('d/x', null)])).tree).toEqual({ e: 'file 1' });
  });

  it('of an unchanged state is no change', async () => {
    const { snapshot } = await upload([change('d/x', file(1))]);
    expect(
      (await uploadDelta(reader, snapshot, parseUpload([change('d/x', file(1)), change('d', DIR)]))).changes,
    ).toEqual([]);
  });

  it('ignores `before` of a change', async () => {
    const { snapshot } = await upload([change('x', file(1))]);
    const delta = await uploadDelta(reader, snapshot, parseUpload([{ path: 'x', before: file(9), after: file(2) }]));
    expect(delta.changes).toEqual([{ path: 'x', before: file(1), after: file(2) }]);
  });

  it('accepts paths in any form', async () => {
    expect((await upload([change('/workspace/./a//b', file(1))])).tree).toEqual({ a: 'dir', 'a/b': 'file 1' });
  });

  it.each([
    ['leads upwards', [change('a/../../b', file(1))], 'path.escape'],
    ['is absolute elsewhere', [change('/etc/passwd', file(1))], 'path.escape'],
    ['holds a NUL', [change('a\0', file(1))], 'path.invalid'],
    ['is the workspace itself', [change('/workspace', DIR)], 'path.invalid'],
    ['occurs twice, in two forms', [change('a', file(1)), change('./a', file(2))], 'request.malformed'],
    ['is below a file of the same upload', [change('a', file(1)), change('a/b', file(2))], 'request.malformed'],
    ['is below a deleted path', [change('a/b', file(2)), change('a', null)], 'request.malformed'],
    ['has a file without a mode', [change('a', { ...file(1), mode: null })], 'request.malformed'],
    ['has a directory with a content', [change('a', { ...DIR, sha256: '1'.repeat(64) })], 'request.malformed'],
    [
      'has a link to nowhere',
      [change('a', { kind: 'symlink', mode: null, sha256: '1'.repeat(64), size: 0 })],
      'request.malformed',
    ],
    [
      'has a link longer than a path',
      [change('a', { kind: 'symlink', mode: null, sha256: '1'.repeat(64), size: 4096 })],
      'request.malformed',
    ],
  ])('with a path that %s is refused', (_what, changes, code) => {
    expect(() => parseUpload(changes)).toThrow(expect.objectContaining({ code }));
  });

  it('below an existing file is refused', async () => {
    await expect(upload([change('a', file(1))], [change('a/b', file(2))])).rejects.toMatchObject({ code: 'file.kind' });
  });

  it('that deletes a missing path is refused', async () => {
    await expect(upload([change('a', null)])).rejects.toMatchObject({ code: 'file.not_found' });
  });

  it('that touches more paths than one change may is refused before they are computed', async () => {
    const many = Array.from({ length: 5 }, (_, d) =>
      Array.from({ length: 5_000 }, (__, at) => change(`d/${d}/${at}`, file(1))),
    );
    await expect(upload(...many, [change('d', null)])).rejects.toMatchObject({
      code: 'limit.exceeded',
      message: expect.stringContaining(String(LIMITS.deltaChanges.max)),
    });
  });
});
