// SPDX-License-Identifier: Apache-2.0

/** A status has three digits at most, and BEL ends the mark. */
const TAIL_MAX = 4;
const BELL = 0x07;
/** Both marks begin with it, and little else does. */
const PREFIX = Buffer.from('\x1b]133;');

/** What a mark says: `D`, a command has ended with the status; `W`, the shell waits for the next one. */
export interface Mark {
  readonly kind: 'D' | 'W';
  readonly status: number;
}

/**
 * Finds the shell's marks in what the terminal shows: `ESC ] 133 ; D ; <nonce> ; <status> BEL`, as shell integrations
 * write them. The nonce keeps a program that prints some terminal's marks by accident from ending a wait; one that
 * wants to can read it from the shell, and gains nothing: a mark grants nothing.
 */
export class MarkScanner {
  readonly #heads: readonly Buffer[];
  #held = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#heads = (['D', 'W'] as const).map((kind) => Buffer.from(headOf(kind, nonce)));
  }

  /**
   * Yields what the terminal shows, and marks, in the order in which they came. What may be the beginning of a mark is
   * kept back.
   */
  *push(chunk: Buffer): Generator<Buffer | Mark> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (rest.length > 0) {
      const at = beginOf(rest, PREFIX);
      if (at > 0) yield rest.subarray(0, at);
      rest = rest.subarray(at);
      if (rest.length === 0) return;
      const mark = this.#markAt(rest);
      if (mark === 'more') {
        // A copy: the chunk's memory is the caller's and used again.
        this.#held = Buffer.from(rest);
        return;
      }
      if (mark === null) yield rest.subarray(0, 1);
      else yield mark;
      rest = rest.subarray(mark === null ? 1 : mark.length);
    }
  }

  #markAt(bytes: Buffer): (Mark & { readonly length: number }) | 'more' | null {
    const head = this.#heads.find((each) => bytes.subarray(0, each.length).equals(each.subarray(0, bytes.length)));
    if (head === undefined) return null;
    if (bytes.length < head.length) return 'more';
    const end = bytes.subarray(head.length, head.length + TAIL_MAX).indexOf(BELL);
    if (end === -1) return bytes.length < head.length + TAIL_MAX ? 'more' : null;
    const digits = bytes.subarray(head.length, head.length + end).toString('latin1');
    if (!/^\d{1,3}$/.test(digits) || Number(digits) > 255) return null;
    return { kind: head === this.#heads[0] ? 'D' : 'W', status: Number(digits), length: head.length + end + 1 };
  }
}

/** What a mark begins with. */
const headOf = (kind: Mark['kind'], nonce: string): string => `\x1b]133;${kind};${nonce};`;

/** What the shell prints a mark with, its last status in it; in single quotes for bash. */
export const markFormat = (kind: Mark['kind'], nonce: string): string => `\\e]133;${kind};${nonce};%d\\a`;

/** Where the prefix begins, or where what is there of it at the end may begin; the length where neither. */
function beginOf(bytes: Buffer, prefix: Buffer): number {
  const whole = bytes.indexOf(prefix);
  if (whole !== -1) return whole;
  for (let at = Math.max(0, bytes.length - prefix.length + 1); at < bytes.length; at++) {
    if (bytes.subarray(at).equals(prefix.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
