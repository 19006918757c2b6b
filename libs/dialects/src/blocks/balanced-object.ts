// SPDX-License-Identifier: Apache-2.0

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * Gathers a JSON object as far as its braces balance; strings and their escapes are respected, nothing else of JSON is.
 */
export class BalancedObject {
  readonly #parts: string[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  isWhole = false;

  /**
   * Takes what belongs to the object and says where it stopped: behind the last brace, or at the end of the input. It
   * begins with a brace.
   */
  take(input: string, from: number): number {
    let at = from;
    while (at < input.length && !this.isWhole) this.#unit(input.charCodeAt(at++));
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
      this.isWhole = this.#depth === 0;
    }
  }
}
