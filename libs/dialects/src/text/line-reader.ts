// SPDX-License-Identifier: Apache-2.0

/** A line, or a piece of one. */
export interface Piece {
  readonly text: string;
  /** where it begins, in UTF-16 units */
  readonly at: number;
  /** a whole line that may open something; else as much of one as came, which opens nothing */
  readonly mayOpen: boolean;
}

/** Cuts a stream into lines ended by LF, in linear time however it comes. A line whose first character after its indentation is an opener is held until it is whole, others are passed on. */
export class LineReader {
  /** whether lines that begin from now on are held, whatever they begin with; several of them may come as one piece */
  holds = false;
  readonly #openers: string;
  #held: string[] = [];
  #line: 'indented' | 'may open' | 'passes' = 'indented';
  #at = 0;

  constructor(openers: string) {
    this.#openers = openers;
  }

  *push(chunk: string): Generator<Piece> {
    let from = 0;
    while (from < chunk.length) {
      const lines = this.#wholeLines(chunk, from);
      if (lines !== '') {
        from += lines.length;
        yield { text: lines, at: this.#at, mayOpen: true };
        this.#at += lines.length;
        continue;
      }
      const end = chunk.indexOf('\n', from);
      const part = end === -1 ? chunk.slice(from) : chunk.slice(from, end + 1);
      from += part.length;
      yield* this.#take(part, end !== -1);
    }
  }

  /** All whole lines of the chunk from here on, where lines are held and none has begun. */
  #wholeLines(chunk: string, from: number): string {
    return this.holds && this.#held.length === 0 && this.#line === 'indented' ? chunk.slice(from, chunk.lastIndexOf('\n') + 1) : '';
  }

  /** The last line, if it has no end. */
  *end(): Generator<Piece> {
    yield* this.#flush();
  }

  *#take(part: string, ends: boolean): Generator<Piece> {
    this.#held.push(part);
    if (this.#line === 'indented') {
      const [first] = part.trimStart();
      if (first !== undefined) this.#line = this.holds || this.#openers.includes(first) ? 'may open' : 'passes';
    }
    if (ends || this.#line === 'passes') yield* this.#flush();
    if (ends) this.#line = 'indented';
  }

  *#flush(): Generator<Piece> {
    const text = this.#held.join('');
    this.#held = [];
    if (text !== '') yield { text, at: this.#at, mayOpen: this.#line === 'may open' };
    this.#at += text.length;
  }
}
