// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (thinking runs nothing): what stands between tags of thinking is no call in any dialect that is written in
// text, closed or not. It stays text. A tag within the arguments of a call is a part of them.

/** Longer than any tag below, so that what is held of a chunk's end has a bound. */
const TAG_CHARS_MAX = 256;
const NAME = '(?:[a-z]{1,16}:|ant)?(?:think(?:ing)?|thoughts?|reasoning)';
/** Every bound keeps the search linear: each `<` is looked at once, and a short way on. */
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
 * Follows a text for where thinking begins and ends: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, also with a
 * prefix (`<seed:think>`, `<antThinking>`) and attributes; `◁think▷`, `[THINK]`, `<|START_THINKING|>`. In any case, one
 * within another, however it is cut into chunks.
 */
export class Thinking {
  /** names of the tags that are open, outermost first, and how often each is */
  readonly #open: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #onStrayEnd: () => void;
  #carried = '';
  #hiddenAt: number | null = null;

  /**
   * `onStrayEnd`: an end came whose beginning did not, as where a model's prompt opens its thinking. All before it was
   * thinking, so a parser MUST take back the calls that it read so far.
   */
  constructor(onStrayEnd: () => void) {
    this.#onStrayEnd = onStrayEnd;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Where the first call stands that thinking which isn't closed hides; null where none does. */
  get hiddenAt(): number | null {
    return this.isOpen ? this.#hiddenAt : null;
  }

  /** Takes the text that comes next, without calls. */
  take(text: string): void {
    const input = this.#carried + text;
    let end = 0;
    for (const tag of input.matchAll(TAG)) {
      this.#tag(tag.groups ?? {});
      end = tag.index + tag[0].length;
    }
    const begun = Math.max(...OPENERS.map((opener) => input.lastIndexOf(opener)));
    const isCut = begun >= end && input.length - begun <= TAG_CHARS_MAX && !ENDS.test(input.slice(begun));
    this.#carried = isCut ? input.slice(begun) : '';
  }

  /** What looks like a call stands here, within thinking. */
  hide(at: number): void {
    this.#hiddenAt ??= at;
  }

  /** A call stands here: the text before and behind it are two. */
  cut(): void {
    this.#carried = '';
  }

  #tag({ closes, name, empty, closesSquare, square, edge }: Readonly<Record<string, string | undefined>>): void {
    if (empty === '/') return;
    const kind = (name ?? square ?? 'edge').toLowerCase();
    if (closes === '/' || closesSquare === '/' || edge?.toLowerCase() === 'end') this.#close(kind);
    else {
      this.#open.push(kind);
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    }
  }

  #close(kind: string): void {
    if (!this.isOpen) return this.#onStrayEnd();
    if ((this.#counts.get(kind) ?? 0) === 0) return;
    let closed: string | undefined;
    do {
      closed = this.#open.pop();
      if (closed !== undefined) this.#counts.set(closed, (this.#counts.get(closed) ?? 0) - 1);
    } while (closed !== kind && closed !== undefined);
    if (!this.isOpen) this.#hiddenAt = null;
  }
}

/** Of a call that stands before an end of thinking. */
export const BEFORE_THINKING_ENDED =
  'it stands before the end of thinking, so it was not run: write calls after `</think>`';
/** Of an output whose thinking hides calls to its end. */
export const HIDDEN_IN_THINKING =
  "thinking isn't closed, and what looks like a call stands in it: nothing runs. Close it, and write calls after it";
