// SPDX-License-Identifier: Apache-2.0

/** A status has at most three digits, and BEL ends the mark. */
const TAIL_MAX = 4;
const BELL = 0x07;
/** The prefix of both marks, which is rare in other output. */
const PREFIX = Buffer.from('\x1b]133;');

/** A mark: `D`, a command has ended with the status; `W`, the shell waits for the next one. */
export interface Mark {
  readonly kind: 'D' | 'W';
  readonly status: number;
}

/**
 * Finds the shell's marks in the terminal's output: `ESC ] 133 ; D ; <nonce> ; <status> BEL`, in the form of shell
 * integrations. The nonce keeps a program that prints a terminal's marks by accident from ending a wait. A program can
 * read the nonce from the shell, but gains nothing: a mark grants nothing.
 */
export class MarkScanner {
  readonly #heads: readonly Buffer[];
  #pending = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#heads = (['D', 'W'] as const).map((kind) => Buffer.from(headOf(kind, nonce)));
  }

  /** Yields the terminal's output and the marks in order. Bytes that may begin a mark are held back. */
  *push(chunk: Buffer): Generator<Buffer | Mark> {
    let rest = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = Buffer.alloc(0);
    while (rest.length > 0) {
      const at = prefixIndexOf(rest, PREFIX);
      if (at > 0) yield rest.subarray(0, at);
      rest = rest.subarray(at);
      if (rest.length === 0) return;
      const mark = this.#markAt(rest);
      if (mark === 'more') {
        // A copy: the caller owns the chunk's memory and reuses it.
        this.#pending = Buffer.from(rest);
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

/** The beginning of a mark. */
const headOf = (kind: Mark['kind'], nonce: string): string => `\x1b]133;${kind};${nonce};`;

/** The format with which the shell prints a mark, with its last status; for single quotes in bash. */
export const markFormat = (kind: Mark['kind'], nonce: string): string => `\\e]133;${kind};${nonce};%d\\a`;

/** The position of the prefix, or of a beginning of it at the end; the length where there is neither. */
function prefixIndexOf(bytes: Buffer, prefix: Buffer): number {
  const whole = bytes.indexOf(prefix);
  if (whole !== -1) return whole;
  for (let at = Math.max(0, bytes.length - prefix.length + 1); at < bytes.length; at++) {
    if (bytes.subarray(at).equals(prefix.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
