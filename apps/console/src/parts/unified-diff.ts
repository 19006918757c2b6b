// SPDX-License-Identifier: Apache-2.0

/** A line of a unified diff, with its numbers in the texts before and after. */
export type DiffLine =
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'same'; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: 'added'; readonly text: string; readonly after: number }
  | { readonly kind: 'removed'; readonly text: string; readonly before: number };

/** A row of the view side by side: null where the other side has a line alone. */
export interface DiffRow {
  readonly before: DiffLine | null;
  readonly after: DiffLine | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff (POSIX `diff -u`). Lines before the first hunk, which name the files, are left out. */
export function linesOf(text: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after, isInHunk] = [0, 0, false];
  for (const line of text.split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      [before, after, isInHunk] = [Number(hunk[1]), Number(hunk[2]), true];
      lines.push({ kind: 'hunk', text: line });
    } else if (!isInHunk) continue;
    else if (line.startsWith('+')) lines.push({ kind: 'added', text: line.slice(1), after: after++ });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text: line.slice(1), before: before++ });
    else if (line.startsWith(' ')) lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
    else if (line.startsWith('\\')) lines.push({ kind: 'note', text: line.slice(1).trim() });
  }
  return lines;
}

/** The same lines side by side: the lines that a block removed stand beside those that it added. */
export function rowsOf(lines: readonly DiffLine[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ before: removed[at] ?? null, after: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines)
    if (line.kind === 'removed') {
      // A removal after additions begins another block.
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ before: line, after: line });
    }
  flush();
  return rows;
}
