// SPDX-License-Identifier: Apache-2.0
import { isObject } from './keywords.ts';

/** Thrown by a check that has used its steps: nothing is known of the value. */
export class StepsUsed extends Error {}

/** Characters that are counted, compared or written in one step. */
const CHARS_PER_STEP = 32;
/** Names or values that are only listed in one step. */
const LISTED_PER_STEP = 8;

/**
 * The most steps of checking the value of one call: they take some tenths of a second, and belong on a thread where
 * they are more than a few.
 */
export const CHECK_STEPS_MAX = 200_000;

/** The steps that a check may still take. Work is counted before it is done, whether a value fits or not. */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  count(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsUsed();
  }

  /** Counts work in proportion to a text. */
  countText(text: string): void {
    this.count(Math.floor(text.length / CHARS_PER_STEP));
  }

  /** Counts a walk over a list of which nothing is applied. */
  countListed(length: number): void {
    this.count(Math.floor(length / LISTED_PER_STEP));
  }

  /** Counts work in proportion to a whole JSON value. */
  countValue(value: unknown): void {
    this.count(1);
    if (typeof value === 'string') this.countText(value);
    else if (Array.isArray(value)) for (const each of value) this.countValue(each);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        this.countText(name);
        this.countValue(each);
      }
  }
}
