// SPDX-License-Identifier: Apache-2.0
import { BOUNDS, type Bound, type BoundName } from './bounds.ts';
import { OTHER, type InstrumentRow, type Label } from './row.ts';

/** Labels as they are recorded. */
export type Recorded = Readonly<Record<string, string>>;
/** Labels as callers pass them. */
type LabelInput = Readonly<Record<string, string | undefined>>;

/** Returns the value itself, or its replacement. */
type Check = (value: string) => string;

/**
 * Keeps labels within their bounds at run time.
 * INVARIANT (bounded): a recorded label has a value of its row, or one of at most as many values as its bound allows,
 * or `other`.
 */
export class LabelGuard {
  readonly #most: Readonly<Partial<Record<BoundName, number>>>;
  /** values seen so far, by bound: all instruments of a process share the same tenants */
  readonly #seen = new Map<BoundName, Set<string>>();

  /** @param most bounds that a setting changes */
  constructor(most: Readonly<Partial<Record<BoundName, number>>> = {}) {
    this.#most = most;
  }

  /** Returns a function that checks the labels of an instrument. It drops a label that the row doesn't have. */
  of({ labels }: InstrumentRow): (input: LabelInput) => Recorded {
    const checks = Object.entries(labels).map(([name, label]) => [name, this.#check(label)] as const);
    return (input) => {
      const recorded: Record<string, string> = {};
      for (const [name, check] of checks) {
        const value = input[name];
        if (value !== undefined) recorded[name] = check(value);
      }
      return recorded;
    };
  }

  #check(label: Label): Check {
    if ('values' in label) {
      const values = new Set(label.values);
      return (value) => (values.has(value) ? value : OTHER);
    }
    const { has, most }: Bound = BOUNDS[label.bound];
    const max = this.#most[label.bound] ?? most;
    const seen = this.#seenOf(label.bound);
    return (value) => {
      if (seen.has(value)) return value;
      if (seen.size >= max || has?.(value) === false) return OTHER;
      seen.add(value);
      return value;
    };
  }

  #seenOf(bound: BoundName): Set<string> {
    const seen = this.#seen.get(bound) ?? new Set();
    this.#seen.set(bound, seen);
    return seen;
  }
}
