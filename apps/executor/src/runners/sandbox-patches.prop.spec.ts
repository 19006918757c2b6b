// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { FileState } from '@writ/contract';
import type { SandboxPatch } from '@writ/sandbox';
import type { NodeEntry } from '@writ/workspace';
import { sandboxPatches, type Tree } from './sandbox-entries.ts';

type Stands = Map<string, FileState>;
const contents = new Map(
  ['', 'a', 'b', 'target'].map((text) => [createHash('sha256').update(text).digest('hex'), Buffer.from(text)]),
);
const hashes = [...contents.keys()];
const reader = async (sha256: string): Promise<Buffer> => contents.get(sha256) ?? Buffer.alloc(0);

/**
 * A tree as a workspace holds it, from what stands where at random: later ones win, and what lies below a file isn't
 * there.
 */
const trees = fc
  .array(
    fc.record({
      path: fc.constantFrom('a', 'a/b', 'a/b/c', 'a/b-c', 'a.b', 'b', 'b/c', 'é', 'é/a'),
      kind: fc.constantFrom('file', 'dir', 'symlink'),
      mode: fc.constantFrom('644', '755'),
      of: fc.nat(3),
    }),
    { maxLength: 12 },
  )
  .map((all) => {
    const tree = new Map<string, NodeEntry>();
    for (const { path, kind, mode, of } of all) {
      const above = path
        .split('/')
        .slice(0, -1)
        .map((_, i, parts) => parts.slice(0, i + 1).join('/'));
      if (above.some((each) => tree.has(each) && tree.get(each)?.kind !== 'dir')) continue;
      for (const each of above) if (!tree.has(each)) tree.set(each, { kind: 'dir', name: each, sha256: '0', size: 0 });
      if (kind !== 'dir') for (const each of tree.keys()) if (each.startsWith(`${path}/`)) tree.delete(each);
      const sha256 = hashes[of] ?? '';
      tree.set(path, {
        kind,
        mode,
        name: path,
        sha256: kind === 'dir' ? '0' : sha256,
        size: kind === 'dir' ? 0 : (contents.get(sha256)?.length ?? 0),
      } as NodeEntry);
    }
    return tree;
  });

const stateOf = (entry: NodeEntry): FileState => ({
  kind: entry.kind,
  mode: entry.kind === 'file' ? entry.mode : null,
  sha256: entry.kind === 'dir' ? null : entry.sha256,
  size: entry.size,
});
const standingOf = (tree: Tree): Stands => new Map([...tree].map(([path, entry]) => [path, stateOf(entry)]));

/**
 * Does a patch as a file system would: nothing is made where its directory isn't one, and no directory goes that isn't
 * empty.
 */
function apply(stands: Stands, patch: SandboxPatch): void {
  const { path, kind } = patch;
  const parent = path.split('/').slice(0, -1).join('/');
  const hasChildren = [...stands.keys()].some((each) => each.startsWith(`${path}/`));
  if (kind === 'gone') {
    if (hasChildren) throw new Error(`\`${path}\` isn't empty`);
    stands.delete(path);
    return;
  }
  if (parent !== '' && stands.get(parent)?.kind !== 'dir') throw new Error(`\`${path}\` has no directory`);
  if (kind !== 'dir' && hasChildren) throw new Error(`\`${path}\` isn't empty`);
  const bytes = kind === 'file' ? patch.bytes : kind === 'symlink' ? Buffer.from(patch.target) : null;
  stands.set(path, {
    kind,
    mode: kind === 'file' ? patch.mode : null,
    sha256: bytes && createHash('sha256').update(bytes).digest('hex'),
    size: bytes?.length ?? 0,
  });
}

test('patches make of any files exactly those of the tree, in an order that a file system takes', async () => {
  await fc.assert(
    fc.asyncProperty(trees, trees, async (laid, wanted) => {
      const stands = standingOf(laid);
      const standing = { paths: () => [...laid.keys()], at: (path: string) => standingOf(laid).get(path) ?? null };
      for await (const patch of sandboxPatches(reader, wanted, standing)) apply(stands, patch);
      expect(new Map([...stands].toSorted())).toEqual(new Map([...standingOf(wanted)].toSorted()));
    }),
    { numRuns: 500 },
  );
});

test('nothing travels where nothing differs', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const standing = standingOf(tree);
      const patches = sandboxPatches(reader, tree, {
        paths: () => standing.keys(),
        at: (path) => standing.get(path) ?? null,
      });
      expect((await patches.next()).done).toBe(true);
    }),
  );
});
