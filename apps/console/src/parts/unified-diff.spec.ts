// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { linesOf, rowsOf } from './unified-diff.ts';

const DIFF = `--- a/x
+++ b/x
@@ -3,4 +3,4 @@ heading
 same
-old
-older
+new
 same
\\ No newline at end of file
`;

it('lines of a unified diff have their numbers in both texts', () => {
  expect(linesOf(DIFF)).toEqual([
    { kind: 'hunk', text: '@@ -3,4 +3,4 @@ heading' },
    { kind: 'same', text: 'same', before: 3, after: 3 },
    { kind: 'removed', text: 'old', before: 4 },
    { kind: 'removed', text: 'older', before: 5 },
    { kind: 'added', text: 'new', after: 4 },
    { kind: 'same', text: 'same', before: 6, after: 5 },
    { kind: 'note', text: 'No newline at end of file' },
  ]);
});

it('a content that looks like a heading stays a content', () => {
  expect(linesOf('@@ -1 +1 @@\n--- a\n+++ b\n').slice(1)).toEqual([
    { kind: 'removed', text: '-- a', before: 1 },
    { kind: 'added', text: '++ b', after: 1 },
  ]);
});

it('side by side, what replaces stands beside what was replaced', () => {
  expect(rowsOf(linesOf(DIFF)).map(({ before, after }) => [before?.text ?? null, after?.text ?? null])).toEqual([
    ['@@ -3,4 +3,4 @@ heading', '@@ -3,4 +3,4 @@ heading'],
    ['same', 'same'],
    ['old', 'new'],
    ['older', null],
    ['same', 'same'],
    ['No newline at end of file', 'No newline at end of file'],
  ]);
});

it('side by side, no line is lost or doubled, and each side keeps its order', () => {
  const line = fc.constantFrom(' s', '+a', '-r', '@@ -1 +1 @@');
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const parsed = linesOf(['@@ -1 +1 @@', ...lines].join('\n'));
      const rows = rowsOf(parsed);
      const side = (name: 'before' | 'after', other: string) =>
        expect(rows.flatMap((row) => row[name] ?? [])).toEqual(parsed.filter(({ kind }) => kind !== other));
      side('before', 'added');
      side('after', 'removed');
    }),
  );
});
