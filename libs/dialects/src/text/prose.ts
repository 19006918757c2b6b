// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (never silence): what a parser takes as text is searched for calls that miss the form. It is searched once
// all of it is known, so that chunks don't matter.

/** A stretch of an output without a gap; `at` in UTF-16 units of the output. */
export interface Stretch {
  readonly text: string;
  readonly at: number;
}

/** Collects the text for people, with its positions in the output. */
export class Prose {
  readonly #stretches: { readonly at: number; readonly parts: string[]; end: number }[] = [];

  add(text: string, at: number): void {
    const last = this.#stretches.at(-1);
    if (last?.end !== at) this.#stretches.push({ at, parts: [text], end: at + text.length });
    else {
      last.parts.push(text);
      last.end += text.length;
    }
  }

  stretches(): Stretch[] {
    return this.#stretches.map(({ at, parts }) => ({ at, text: parts.join('') }));
  }
}

const TICKS = /`+/g;

/**
 * Answers whether an index of a text is within a code span of its line: between two runs of equally many backticks
 * (CommonMark, section 6.1, within one line). Each line is read once, so indexes MUST ascend.
 */
export function codeSpans(text: string): (index: number) => boolean {
  let lineEnd = -1;
  let spans: readonly (readonly [from: number, to: number])[] = [];
  let next = 0;
  return (index) => {
    if (index > lineEnd) {
      const from = text.lastIndexOf('\n', index - 1) + 1;
      const end = text.indexOf('\n', index);
      lineEnd = end === -1 ? text.length : end;
      [spans, next] = [spansOf(text.slice(from, lineEnd), from), 0];
    }
    while ((spans[next]?.[1] ?? Infinity) <= index) next += 1;
    return (spans[next]?.[0] ?? Infinity) < index;
  };
}

/** The code spans of a line whose first character is at `base`. */
function spansOf(line: string, base: number): (readonly [number, number])[] {
  const runs = [...line.matchAll(TICKS)];
  const lastOfLength = new Map(runs.map(({ 0: { length } }, n) => [length, n]));
  const spans: (readonly [number, number])[] = [];
  let open: { readonly length: number; readonly index: number } | null = null;
  runs.forEach(({ 0: { length }, index }, n) => {
    if (open === null && (lastOfLength.get(length) ?? n) > n) open = { length, index };
    else if (open?.length === length) {
      spans.push([base + open.index, base + index + length]);
      open = null;
    }
  });
  return spans;
}
