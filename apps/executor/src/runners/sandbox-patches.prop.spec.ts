// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { FileState } from '@writ/contract';
import type { SandboxPatch } from '@writ/sandbox';
import type { NodeEntry } from '@writ/workspace';
import { sandboxPatches, type Tree } from './sandbox-entries.ts';

type FileStates = Map<string, FileState>;
const contents = new Map(
  ['', 'a', 'b', 'target'].map((text) => [createHash('sha256').update(text).digest('hex'), Buffer.from(text)]),
);
const hashes = [...contents.keys()];
const reader = async (sha256: string): Promise<Buffer> => contents.get(sha256) ?? Buffer.alloc(0);

/** A random valid tree: later entries win, and nothing exists below a file. */
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
const statesOf = (tree: Tree): FileStates => new Map([...tree].map(([path, entry]) => [path, stateOf(entry)]));

/**
 * Applies a patch as a file system would: it makes nothing without a parent directory, and removes only empty
 * directories.
 */
function apply(files: FileStates, patch: SandboxPatch): void {
  const { path, kind } = patch;
  const parent = path.split('/').slice(0, -1).join('/');
  const hasChildren = [...files.keys()].some((each) => each.startsWith(`${path}/`));
  if (kind === 'gone') {
    if (hasChildren) throw new Error(`\`${path}\` isn't empty`);
    files.delete(path);
    return;
  }
  if (parent !== '' && files.get(parent)?.kind !== 'dir') throw new Error(`\`${path}\` has no directory`);
  if (kind !== 'dir' && hasChildren) throw new Error(`\`${path}\` isn't empty`);
  const bytes = kind === 'file' ? patch.bytes : kind === 'symlink' ? Buffer.from(patch.target) : null;
  files.set(path, {
    kind,
    mode: kind === 'file' ? patch.mode : null,
    sha256: bytes && createHash('sha256').update(bytes).digest('hex'),
    size: bytes?.length ?? 0,
  });
}

test('patches turn any files into exactly those of the tree, in an order that a file system accepts', async () => {
  await fc.assert(
    fc.asyncProperty(trees, trees, async (initial, wanted) => {
      const files = statesOf(initial);
      const present = { paths: () => [...initial.keys()], at: (path: string) => statesOf(initial).get(path) ?? null };
      for await (const patch of sandboxPatches(reader, wanted, present)) apply(files, patch);
      expect(new Map([...files].toSorted())).toEqual(new Map([...statesOf(wanted)].toSorted()));
    }),
    { numRuns: 500 },
  );
});

test('identical trees need no patch', async () => {
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const present = statesOf(tree);
      const patches = sandboxPatches(reader, tree, {
        paths: () => present.keys(),
        at: (path) => present.get(path) ?? null,
      });
      expect((await patches.next()).done).toBe(true);
    }),
  );
});
