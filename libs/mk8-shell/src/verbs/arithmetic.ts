// SPDX-License-Identifier: Apache-2.0
import { StepError } from '../run/step-error.ts';

const CHARS_MAX = 1000;
/** The nesting of parentheses and signs: the stack grows with it. */
const DEPTH_MAX = 100;
const TOKEN = /\s*(?:([0-9]+(?:\.[0-9]+)?|\.[0-9]+)|([-+*/%()]))/y;

/**
 * The value of an expression of numbers, `+ - * / %` and parentheses. `* / %` bind tighter, and signs tightest. No
 * names, no calls.
 * @throws StepError
 */
export function evaluate(expression: string): number {
  if (expression.length > CHARS_MAX) throw new StepError(`the expression has more than ${CHARS_MAX} characters`);
  const reader = new Reader(tokensOf(expression));
  const value = reader.sum(0);
  if (!reader.isAtEnd()) throw new StepError(`\`${reader.next() ?? ''}\` has no place there`);
  if (!Number.isFinite(value)) throw new StepError('the value is too large, or divided by nothing');
  return Object.is(value, -0) ? 0 : Number(value.toPrecision(15));
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  const whole = expression.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < whole.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(whole);
    if (found === null) throw new StepError(`there is no number or sign at place ${at + 1}`);
    tokens.push(found[1] ?? found[2] ?? '');
  }
  return tokens;
}

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  isAtEnd = (): boolean => this.#at >= this.#tokens.length;
  next = (): string | undefined => this.#tokens[this.#at];

  #consume(...of: string[]): string | null {
    const token = this.next();
    if (token === undefined || !of.includes(token)) return null;
    this.#at++;
    return token;
  }

  sum(depth: number): number {
    let value = this.#product(depth);
    for (let sign = this.#consume('+', '-'); sign !== null; sign = this.#consume('+', '-'))
      value = sign === '+' ? value + this.#product(depth) : value - this.#product(depth);
    return value;
  }

  #product(depth: number): number {
    let value = this.#factor(depth);
    for (let sign = this.#consume('*', '/', '%'); sign !== null; sign = this.#consume('*', '/', '%')) {
      const right = this.#factor(depth);
      if (sign !== '*' && right === 0) throw new StepError('it divides by 0');
      value = sign === '*' ? value * right : sign === '/' ? value / right : value % right;
    }
    return value;
  }

  #factor(depth: number): number {
    if (depth > DEPTH_MAX) throw new StepError(`it is nested more than ${DEPTH_MAX} deep`);
    const sign = this.#consume('+', '-');
    if (sign !== null) return sign === '-' ? -this.#factor(depth + 1) : this.#factor(depth + 1);
    if (this.#consume('(') !== null) {
      const value = this.sum(depth + 1);
      if (this.#consume(')') === null) throw new StepError('a parenthesis is not closed');
      return value;
    }
    const token = this.next();
    if (token === undefined || !/[0-9]/.test(token))
      throw new StepError(
        token === undefined ? 'a number is missing at the end' : `\`${token}\` stands where a number should`,
      );
    this.#at++;
    return Number(token);
  }
}
