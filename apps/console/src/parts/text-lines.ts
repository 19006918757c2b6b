// SPDX-License-Identifier: Apache-2.0
// Differences of two short texts, made in the page: of a rule, or of a tool's definition.
import type { DiffFile } from '@writ/client/web';

/** Comparisons of lines that one difference may cost. Beyond it all lines are shown as changed. */
const COMPARED_MAX = 1_000_000;

interface Lines {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** The difference of two texts as one unified hunk with all of their lines. */
export function differenceOf(before: string | null, after: string | null): Lines {
  const [old, now] = [linesIn(before), linesIn(after)];
  const lines: string[] = [];
  let [added, removed, oldAt, nowAt] = [0, 0, 0, 0];
  const take = (oldEnd: number, nowEnd: number): void => {
    for (; oldAt < oldEnd; oldAt += 1, removed += 1) lines.push(`-${old[oldAt]}`);
    for (; nowAt < nowEnd; nowAt += 1, added += 1) lines.push(`+${now[nowAt]}`);
  };
  for (const [oldSame, nowSame] of sameLines(old, now)) {
    take(oldSame, nowSame);
    lines.push(` ${old[oldAt]}`);
    [oldAt, nowAt] = [oldAt + 1, nowAt + 1];
  }
  take(old.length, now.length);
  return { text: [`@@ -1,${old.length} +1,${now.length} @@`, ...lines].join('\n'), added, removed };
}

/** The same for the part that shows differences of files. */
export function differingTexts(path: string, before: string | null, after: string | null): DiffFile {
  const { text, added, removed } = differenceOf(before, after);
  const change = before === null ? 'added' : after === null ? 'deleted' : 'modified';
  return {
    path,
    change,
    before: null,
    after: null,
    text,
    added_lines: added,
    removed_lines: removed,
    why_no_text: null,
  };
}

const linesIn = (text: string | null): readonly string[] => (text === null || text === '' ? [] : text.split('\n'));

/** The places of a longest common subsequence of lines. */
function sameLines(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * now.length > COMPARED_MAX) return [];
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      longest[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const same: (readonly [number, number])[] = [];
  for (let [row, column] = [0, 0]; row < old.length && column < now.length;)
    if (old[row] === now[column]) {
      same.push([row, column]);
      [row, column] = [row + 1, column + 1];
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  return same;
}
