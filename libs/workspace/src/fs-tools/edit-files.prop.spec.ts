// SPDX-License-Identifier: Apache-2.0
// An edit of several files equals the edits of each, one after another; or nothing changes.
import fc from 'fast-check';
import { applyDelta } from '../apply-delta.ts';
import { withBlobs } from '../node.ts';
import { BlobMap } from '../tree-model.contract.ts';
import type { FileToolContext } from './outcome.ts';
import { runFileTool } from './run.ts';

const FILES = { a: 'x y x z', b: 'x y\nz', 'd/c': 'zz y x', link: { link: 'd/c' } };
/** Few letters, so that texts match often, once and not at all. */
const letter = fc.constantFrom('x', 'y', 'z');
const text = fc.oneof({ weight: 6, arbitrary: letter }, { weight: 1, arbitrary: fc.constantFrom('', 'xy', 'zz') });
const edit = fc.record({ find: letter, replace: text, count: fc.constantFrom(1, 'all' as const, 'all' as const) });
const files = fc.array(
  fc.record({
    path: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('a', 'b', 'd/c', 'link') },
      { weight: 1, arbitrary: fc.constant('nothing') },
    ),
    edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** The root after the calls; null once one fails. */
async function rootAfter(
  root: string,
  blobs: BlobMap,
  calls: readonly (readonly [tool: string, args: object])[],
): Promise<string | null> {
  const made: { sha256: string; bytes: Uint8Array }[] = [];
  let at = root;
  for (const [tool, args] of calls) {
    const context: FileToolContext = { reader: withBlobs(blobs.reader, made), root: at, may: () => true };
    const outcome = await runFileTool(tool, context, args);
    if (!outcome.ok) return null;
    made.push(...outcome.blobs);
    if (outcome.delta === null) continue;
    const applied = await applyDelta(withBlobs(blobs.reader, made), at, outcome.delta);
    made.push(...applied.nodes);
    at = applied.root;
  }
  return at;
}

test('editing several files equals editing them one by one; if one fails, none changes', async () => {
  const blobs = new BlobMap();
  const root = await blobs.tree(FILES);
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(files, async (each) => {
      const together = await rootAfter(root, blobs, [['fs.edit_files', { files: each }]]);
      expect(together).toBe(
        await rootAfter(
          root,
          blobs,
          each.map((file) => ['fs.edit', file] as const),
        ),
      );
      if (together !== null && together !== root) kept++;
    }),
    { numRuns: 400 },
  );
  // If only failures satisfied the property, it would prove nothing.
  expect(kept).toBeGreaterThan(20);
});
