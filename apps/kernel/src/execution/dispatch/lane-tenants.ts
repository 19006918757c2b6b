// SPDX-License-Identifier: Apache-2.0

/** How long a tenant counts as active after a call, in milliseconds: as long as in `FairLimiter` (libs/fairness). */
const REMEMBERED_MS = 10_000;
/** Tenants in memory: callers only ask whether there are two. */
const TENANTS_MAX = 1_000;

/**
 * The tenants whose calls a lane has dispatched lately. `now` is a monotonic clock of this process, in milliseconds.
 */
export class LaneTenants {
  readonly #seen = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(tenantId: string): void {
    // Moves it to the end of the map: it is forgotten last.
    this.#seen.delete(tenantId);
    this.#seen.set(tenantId, this.#now());
    if (this.#seen.size > TENANTS_MAX) this.#forgetFirst();
  }

  /** Whether more than one tenant is active. */
  hasSeveral(): boolean {
    this.#forgetOld();
    return this.#seen.size > 1;
  }

  /** Whether any tenant is active. */
  hasAny(): boolean {
    this.#forgetOld();
    return this.#seen.size > 0;
  }

  /** The only active tenant; null where there are several, or none. */
  onlyTenant(): string | null {
    this.#forgetOld();
    return this.#seen.size === 1 ? ([...this.#seen.keys()][0] ?? null) : null;
  }

  #forgetOld(): void {
    const oldest = this.#now() - REMEMBERED_MS;
    for (const at of this.#seen.values()) {
      if (at > oldest) break;
      this.#forgetFirst();
    }
  }

  #forgetFirst(): void {
    for (const tenantId of this.#seen.keys()) {
      this.#seen.delete(tenantId);
      return;
    }
  }
}
