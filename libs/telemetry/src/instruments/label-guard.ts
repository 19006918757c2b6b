// SPDX-License-Identifier: Apache-2.0
import { BOUNDS, type Bound, type BoundName } from './bounds.ts';
import { OTHER, type InstrumentRow, type Label } from './row.ts';

/** Labels as they are recorded. */
export type Recorded = Readonly<Record<string, string>>;
/** Labels as they come from the code. */
type Given = Readonly<Record<string, string | undefined>>;

/** Answers the value itself, or what stands for it. */
type Check = (value: string) => string;

/**
 * Keeps labels within their bounds at run time. INVARIANT (bounded): whatever is recorded, a label has the values of
 * its row, or as many as its bound allows, and `other`.
 */
export class LabelGuard {
  readonly #most: Readonly<Partial<Record<BoundName, number>>>;
  /** values that were seen, by bound: all instruments of a process know the same tenants */
  readonly #seen = new Map<BoundName, Set<string>>();

  /** @param most bounds that a setting changes */
  constructor(most: Readonly<Partial<Record<BoundName, number>>> = {}) {
    this.#most = most;
  }

  /** What checks the labels of an instrument, made once. A label that the row doesn't have is dropped. */
  of({ labels }: InstrumentRow): (given: Given) => Recorded {
    const checks = Object.entries(labels).map(([name, label]) => [name, this.#check(label)] as const);
    return (given) => {
      const recorded: Record<string, string> = {};
      for (const [name, check] of checks) {
        const value = given[name];
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
