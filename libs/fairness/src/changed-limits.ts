// SPDX-License-Identifier: Apache-2.0

/** Longer than a transaction may take, in milliseconds. A change may become visible after one with a later time. */
const OVERLAP_MS = 15_000;

/** One page of the changes since a time. */
export interface ChangedPage<L> {
  /** milliseconds, by the clock that stamps changes */
  readonly now: number;
  readonly items: readonly L[];
  readonly more: boolean;
}

export type ReadChanged<L> = (since: number, after: string) => Promise<ChangedPage<L>>;

/**
 * Follows the limits of single tenants by polling for changes. A tenant without limits of its own has no entry. If the
 * source doesn't answer, the last known limits stay.
 */
export class ChangedLimits<L extends { readonly tenant_id: string }> {
  readonly #read: ReadChanged<L>;
  readonly #cached = new Map<string, L>();
  #since = 0;

  constructor(read: ReadChanged<L>) {
    this.#read = read;
  }

  /** The tenant's own limits; undefined if the defaults apply. */
  of(tenantId: string): L | undefined {
    return this.#cached.get(tenantId);
  }

  /** Resolves when all changes from before the call are loaded. */
  async refresh(): Promise<void> {
    let [after, startedAt] = ['', null as number | null];
    for (;;) {
      const { now, items, more } = await this.#read(this.#since, after);
      startedAt ??= now;
      for (const item of items) this.#cached.set(item.tenant_id, item);
      if (!more) break;
      after = items.at(-1)?.tenant_id ?? after;
    }
    this.#since = Math.max(0, startedAt - OVERLAP_MS);
  }
}
