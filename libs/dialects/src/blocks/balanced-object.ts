// SPDX-License-Identifier: Apache-2.0

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * Collects a JSON object until its braces balance. It tracks strings and their escapes, and no other syntax of JSON.
 */
export class BalancedObject {
  readonly #parts: string[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  isComplete = false;

  /**
   * Consumes input up to the end of the object, and returns the index behind the last brace or the end of the input.
   * The input begins with a brace.
   */
  consume(input: string, from: number): number {
    let at = from;
    while (at < input.length && !this.isComplete) this.#unit(input.charCodeAt(at++));
    this.#parts.push(input.slice(from, at));
    return at;
  }

  text(): string {
    return this.#parts.join('');
  }

  #unit(unit: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (unit === BACKSLASH) this.#escaped = true;
      else if (unit === QUOTE) this.#inString = false;
    } else if (unit === QUOTE) this.#inString = true;
    else if (unit === OPEN) this.#depth += 1;
    else if (unit === CLOSE) {
      this.#depth -= 1;
      this.isComplete = this.#depth === 0;
    }
  }
}
