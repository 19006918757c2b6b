// SPDX-License-Identifier: Apache-2.0

/** Whole lines, or a part of one. */
export interface Piece {
  readonly text: string;
  /** where it begins, in UTF-16 units */
  readonly at: number;
  /** a complete line that may open a block, or, while lines are buffered, all of them; else text that opens nothing */
  readonly mayOpen: boolean;
}

/** Consumes a piece and returns how much of it, more than nothing. The rest is read again, as if a line began there. */
export type ConsumePiece = (piece: Piece) => number;

/**
 * Splits a stream into lines ended by LF, in linear time for any chunks. A line that may open a block is buffered until
 * it is complete; text between such lines is forwarded immediately.
 */
export class LineReader {
  /** whether all further lines are buffered, whatever they begin with */
  isBuffering = false;
  readonly #consume: ConsumePiece;
  readonly #firsts: string;
  /** matches at the beginning of a line, and at that of any later one */
  readonly #openerHere: RegExp;
  readonly #openerLater: RegExp;
  #buffered: string[] = [];
  #line: 'indented' | 'may open' | 'passes' = 'indented';
  #at = 0;

  /**
   * `openers`: the beginnings of lines that open a block, after their indentation, as regular expressions. A byte order
   * mark counts as indentation.
   */
  constructor(openers: readonly string[], take: ConsumePiece) {
    this.#consume = take;
    this.#firsts = openers.map((opener) => opener.charAt(0)).join('');
    const opening = `[\\uFEFF \\t]*(?:${openers.join('|')})`;
    this.#openerHere = new RegExp(opening, 'y');
    this.#openerLater = new RegExp(`\\n${opening}`, 'g');
  }

  push(chunk: string): void {
    const whole = chunk.lastIndexOf('\n') + 1;
    if (whole > 0) this.#endLine(chunk.slice(0, whole));
    if (whole < chunk.length) this.#continueLine(chunk.slice(whole));
  }

  /** Processes the last line, if it has no end. */
  end(): void {
    this.#endLine('');
  }

  /** Text up to the end of a line. */
  #endLine(text: string): void {
    let from = 0;
    if (this.#line === 'passes') {
      from = text.indexOf('\n') + 1;
      if (from > 0) this.#emit(text.slice(0, from), false);
    }
    const lines = this.#buffered.join('') + text.slice(from);
    [this.#buffered, this.#line] = [[], 'indented'];
    this.#lines(lines);
  }

  /** Text within a line. */
  #continueLine(part: string): void {
    if (this.#line === 'passes') return void this.#emit(part, false);
    this.#buffered.push(part);
    if (this.#line !== 'indented') return;
    const [first] = part.trimStart();
    if (first === undefined) return;
    this.#line = this.isBuffering || this.#firsts.includes(first) ? 'may open' : 'passes';
    if (this.#line === 'may open') return;
    this.#emit(this.#buffered.join(''), false);
    this.#buffered = [];
  }

  #lines(lines: string): void {
    let [from, lineEnd] = [0, 0];
    while (from < lines.length) {
      const opens = this.isBuffering ? from : this.#opensAt(lines, from);
      if (opens > from) from += this.#emit(lines.slice(from, opens), false);
      else {
        // Computed once per line: a line may contain as many blocks as it has characters.
        if (lineEnd <= from) lineEnd = lines.indexOf('\n', from) + 1 || lines.length;
        from += this.#emit(this.isBuffering ? lines.slice(from) : lines.slice(from, lineEnd), true);
      }
    }
  }

  /** The index of the next line that may open a block. */
  #opensAt(lines: string, from: number): number {
    this.#openerHere.lastIndex = from;
    if (this.#openerHere.test(lines)) return from;
    this.#openerLater.lastIndex = from;
    const later = this.#openerLater.exec(lines);
    return later === null ? lines.length : later.index + 1;
  }

  #emit(text: string, mayOpen: boolean): number {
    const taken = this.#consume({ text, at: this.#at, mayOpen });
    this.#at += taken;
    return taken;
  }
}
