// SPDX-License-Identifier: Apache-2.0

/**
 * Longer than a transaction may take, in milliseconds: a change whose time is older than another's may become visible
 * after it.
 */
const OVERLAP_MS = 15_000;

/** One page of what was set since. */
export interface ChangedPage<L> {
  /** milliseconds, by the clock that stamps changes */
  readonly now: number;
  readonly items: readonly L[];
  readonly more: boolean;
}

export type ReadChanged<L> = (since: number, after: string) => Promise<ChangedPage<L>>;

/**
 * Follows what is set for single tenants, by asking again and again what has changed. What was never set isn't in it,
 * and a source that is silent leaves what was known last.
 */
export class ChangedLimits<L extends { readonly tenant_id: string }> {
  readonly #read: ReadChanged<L>;
  readonly #known = new Map<string, L>();
  #since = 0;

  constructor(read: ReadChanged<L>) {
    this.#read = read;
  }

  /** Undefined where the tenant has what everybody has. */
  of(tenantId: string): L | undefined {
    return this.#known.get(tenantId);
  }

  /** Resolves when everything that had been set before it was called is known here. */
  async refresh(): Promise<void> {
    let [after, began] = ['', null as number | null];
    for (;;) {
      const { now, items, more } = await this.#read(this.#since, after);
      began ??= now;
      for (const item of items) this.#known.set(item.tenant_id, item);
      if (!more) break;
      after = items.at(-1)?.tenant_id ?? after;
    }
    this.#since = Math.max(0, began - OVERLAP_MS);
  }
}
