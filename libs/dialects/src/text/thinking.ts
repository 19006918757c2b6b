// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (thinking runs nothing): text between tags of thinking contains no calls in any text dialect, whether the
// tags are closed or not. It stays text. A tag within the arguments of a call is part of them.

/** Longer than any tag below, so that the buffered end of a chunk is bounded. */
const TAG_CHARS_MAX = 256;
const NAME = '(?:[a-z]{1,16}:|ant)?(?:think(?:ing)?|thoughts?|reasoning)';
/** The limits keep the search linear: each `<` is read once, with a few characters after it. */
const TAG = new RegExp(
  [
    `[<◁]\\s{0,8}(?<closes>/?)\\s{0,8}(?<name>${NAME})(?:\\s[^<>◁▷[\\]]{0,128})?(?<empty>/?)[>▷]`,
    '\\[(?<closesSquare>/?)(?<square>think(?:ing)?)\\]',
    '<\\|(?<edge>start|end)_thinking\\|>',
  ].join('|'),
  'gi',
);
const OPENERS = ['<', '[', '◁'] as const;
const ENDS = /[>▷\]]/;

/**
 * Tracks where thinking begins and ends in a text: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, also with a
 * prefix (`<seed:think>`, `<antThinking>`) and attributes; `◁think▷`, `[THINK]`, `<|START_THINKING|>`. In upper or
 * lower case, nested, and for any chunks.
 */
export class Thinking {
  /** names of the open tags, outermost first, and the number of each */
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #onStrayEnd: () => void;
  #carried = '';
  #hiddenAt: number | null = null;
  /** where the outermost open tag begins */
  #openAt = 0;
  /** the closed stretches of thinking, in order */
  readonly #closed: (readonly [from: number, to: number])[] = [];
  /** everything before was thinking, whose beginning is in the prompt */
  #strayEnd = 0;

  /**
   * `onStrayEnd`: an end tag came without its beginning, as if a model's prompt had opened its thinking. All text
   * before it was thinking, so a parser MUST withdraw the calls that it has read so far.
   */
  constructor(onStrayEnd: () => void) {
    this.#onStrayEnd = onStrayEnd;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Position of the first call that is hidden in unclosed thinking; null if there is none. */
  get hiddenAt(): number | null {
    return this.isOpen ? this.#hiddenAt : null;
  }

  /** Whether the position is within thinking: positions are those that were given to `push`. */
  covers(position: number): boolean {
    if (position < this.#strayEnd || (this.isOpen && position >= this.#openAt)) return true;
    let [low, high] = [0, this.#closed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#closed[middle]?.[1] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return (this.#closed[low]?.[0] ?? Infinity) <= position;
  }

  /** Accepts the next text, without calls; `at` is its position in the output. */
  push(text: string, at = 0): void {
    const input = this.#carried + text;
    const begins = at - this.#carried.length;
    let end = 0;
    for (const tag of input.matchAll(TAG)) {
      this.#tag(tag.groups ?? {}, begins + tag.index);
      end = tag.index + tag[0].length;
    }
    const begun = Math.max(...OPENERS.map((opener) => input.lastIndexOf(opener)));
    const isCut = begun >= end && input.length - begun <= TAG_CHARS_MAX && !ENDS.test(input.slice(begun));
    this.#carried = isCut ? input.slice(begun) : '';
  }

  /** Records the position of something that looks like a call, within thinking. */
  recordHidden(at: number): void {
    this.#hiddenAt ??= at;
  }

  /** A call separates the text before it from the text after it. */
  resetCarried(): void {
    this.#carried = '';
  }

  #tag(
    { closes, name, empty, closesSquare, square, edge }: Readonly<Record<string, string | undefined>>,
    at: number,
  ): void {
    if (empty === '/') return;
    const kind = (name ?? square ?? 'edge').toLowerCase();
    if (closes === '/' || closesSquare === '/' || edge?.toLowerCase() === 'end') this.#close(kind, at);
    else {
      if (!this.isOpen) this.#openAt = at;
      this.#open.push(kind);
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    }
  }

  #close(kind: string, at: number): void {
    if (!this.isOpen) {
      this.#strayEnd = at;
      return this.#onStrayEnd();
    }
    if ((this.#counts.get(kind) ?? 0) === 0) return;
    let closed: string | undefined;
    do {
      closed = this.#open.pop();
      if (closed !== undefined) this.#counts.set(closed, (this.#counts.get(closed) ?? 0) - 1);
    } while (closed !== kind && closed !== undefined);
    if (this.isOpen) return;
    this.#hiddenAt = null;
    this.#closed.push([this.#openAt, at]);
  }
}

/** The problem of a call before an end of thinking. */
export const BEFORE_THINKING_ENDED =
  'it stands before the end of thinking, so it was not run: write calls after `</think>`';
/** The problem of an output whose thinking hides calls to its end. */
export const HIDDEN_IN_THINKING =
  "thinking isn't closed, and what looks like a call stands in it: nothing runs. Close it, and write calls after it";
