// SPDX-License-Identifier: Apache-2.0

/** Whole lines, or a piece of one. */
export interface Piece {
  readonly text: string;
  /** where it begins, in UTF-16 units */
  readonly at: number;
  /**
   * one line that is whole and may open something, or, while lines are held, as many as came; else text that opens
   * nothing
   */
  readonly mayOpen: boolean;
}

/**
 * Takes a piece and says how much of it that was, which is more than nothing. What is left is read as if a line began
 * there.
 */
export type TakePiece = (piece: Piece) => number;

/**
 * Cuts a stream into lines ended by LF, in linear time however it comes. A line that may open something is held until
 * it is whole; what lies between such lines is passed on as it comes.
 */
export class LineReader {
  /** whether all lines are held that begin from now on, whatever they begin with */
  holds = false;
  readonly #take: TakePiece;
  readonly #firsts: string;
  /** at the beginning of a line, and at that of any later one */
  readonly #here: RegExp;
  readonly #later: RegExp;
  #held: string[] = [];
  #line: 'indented' | 'may open' | 'passes' = 'indented';
  #at = 0;

  /** `openers`: what a line that opens something begins with, after its indentation. */
  constructor(openers: readonly string[], take: TakePiece) {
    this.#take = take;
    this.#firsts = openers.map((opener) => opener.charAt(0)).join('');
    const opening = `[ \\t]*(?:${openers.join('|')})`;
    this.#here = new RegExp(opening, 'y');
    this.#later = new RegExp(`\\n${opening}`, 'g');
  }

  push(chunk: string): void {
    const whole = chunk.lastIndexOf('\n') + 1;
    if (whole > 0) this.#ends(chunk.slice(0, whole));
    if (whole < chunk.length) this.#begins(chunk.slice(whole));
  }

  /** The last line, if it has no end. */
  end(): void {
    this.#ends('');
  }

  /** Text up to the end of a line. */
  #ends(text: string): void {
    let from = 0;
    if (this.#line === 'passes') {
      from = text.indexOf('\n') + 1;
      if (from > 0) this.#tell(text.slice(0, from), false);
    }
    const lines = this.#held.join('') + text.slice(from);
    [this.#held, this.#line] = [[], 'indented'];
    this.#lines(lines);
  }

  /** Text within a line. */
  #begins(part: string): void {
    if (this.#line === 'passes') return void this.#tell(part, false);
    this.#held.push(part);
    if (this.#line !== 'indented') return;
    const [first] = part.trimStart();
    if (first === undefined) return;
    this.#line = this.holds || this.#firsts.includes(first) ? 'may open' : 'passes';
    if (this.#line === 'may open') return;
    this.#tell(this.#held.join(''), false);
    this.#held = [];
  }

  #lines(lines: string): void {
    let [from, lineEnd] = [0, 0];
    while (from < lines.length) {
      const opens = this.holds ? from : this.#opensAt(lines, from);
      if (opens > from) from += this.#tell(lines.slice(from, opens), false);
      else {
        // Looked up once a line: a line may hold as many things as it has characters.
        if (lineEnd <= from) lineEnd = lines.indexOf('\n', from) + 1 || lines.length;
        from += this.#tell(this.holds ? lines.slice(from) : lines.slice(from, lineEnd), true);
      }
    }
  }

  /** Where the next line begins that may open something. */
  #opensAt(lines: string, from: number): number {
    this.#here.lastIndex = from;
    if (this.#here.test(lines)) return from;
    this.#later.lastIndex = from;
    const later = this.#later.exec(lines);
    return later === null ? lines.length : later.index + 1;
  }

  #tell(text: string, mayOpen: boolean): number {
    const taken = this.#take({ text, at: this.#at, mayOpen });
    this.#at += taken;
    return taken;
  }
}
