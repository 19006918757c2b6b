// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';

/**
 * Limit on the instructions of a compiled expression: matching takes time in proportion to the value's length times
 * the expression's.
 */
const PROGRAM_MAX = 1_000;

/** The problem with an expression, or null. */
export function patternFault(pattern: string): string | null {
  try {
    return RE2JS.compile(pattern).programSize() > PROGRAM_MAX ? 'it is larger than may be matched' : null;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it does not compile';
  }
}

/** Instructions times characters that count as one step: matching is much cheaper than applying a schema. */
const WORK_PER_STEP = 16;

/**
 * An expression that RE2 matches. The interpreter accepts an expression as a `RegExp`, of which it calls only `test`.
 * INVARIANT (linear time): V8's engine never compiles or matches what a tenant wrote.
 */
export class Re2Pattern extends RegExp {
  readonly text: string;
  readonly #expression: RE2JS;
  readonly #size: number;
  readonly #count: (steps: number) => void;

  constructor(text: string, count: (steps: number) => void) {
    super('(?!)');
    this.text = text;
    this.#expression = RE2JS.compile(text);
    this.#size = this.#expression.programSize();
    this.#count = count;
  }

  override test(value: string): boolean {
    this.#count(1 + Math.floor((value.length * this.#size) / WORK_PER_STEP));
    return this.#expression.test(value);
  }
}
