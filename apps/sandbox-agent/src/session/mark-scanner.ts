// SPDX-License-Identifier: Apache-2.0

/** A status has three digits at most, and BEL ends the mark. */
const TAIL_MAX = 4;

/**
 * Finds the shell's marks in what the terminal shows: `ESC ] 133 ; W ; <nonce> ; <status> BEL`, as shell integrations write them. The nonce keeps a program that
 * prints some terminal's marks by accident from ending a wait; one that wants to can read it from the shell, and gains nothing: a mark grants nothing.
 */
export class MarkScanner {
  readonly #head: Buffer;
  #held = Buffer.alloc(0);

  constructor(nonce: string) {
    this.#head = Buffer.from(`\x1b]133;W;${nonce};`);
  }

  /** Yields what the terminal shows, and the statuses of marks, in the order in which they came. What may be the beginning of a mark is kept back. */
  *push(chunk: Buffer): Generator<Buffer | number> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (rest.length > 0) {
      const at = beginOf(rest, this.#head);
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
      else yield mark.status;
      rest = rest.subarray(mark === null ? 1 : mark.length);
    }
  }

  #markAt(bytes: Buffer): { status: number; length: number } | 'more' | null {
    if (bytes.length < this.#head.length) return 'more';
    const end = bytes.subarray(this.#head.length, this.#head.length + TAIL_MAX).indexOf(0x07);
    if (end === -1) return bytes.length < this.#head.length + TAIL_MAX ? 'more' : null;
    const digits = bytes.subarray(this.#head.length, this.#head.length + end).toString('latin1');
    return /^\d{1,3}$/.test(digits) && Number(digits) <= 255 ? { status: Number(digits), length: this.#head.length + end + 1 } : null;
  }
}

/** Where the head begins, or where what is there of it at the end may begin; the length where neither. */
function beginOf(bytes: Buffer, head: Buffer): number {
  const whole = bytes.indexOf(head);
  if (whole !== -1) return whole;
  for (let at = Math.max(0, bytes.length - head.length + 1); at < bytes.length; at++) {
    if (bytes.subarray(at).equals(head.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
