// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/** An export that is under way. */
export interface Exporting {
  /** The tenant's log grew. */
  grew(): void;
  /** The process stops. */
  stopping(): void;
}

/** Knows the exports under way here, tenant by tenant: bounds them, and tells those that wait. */
export class ExportHub {
  readonly #exports = new Map<string, Set<Exporting>>();
  readonly #tenantMax: number;

  /** @param tenantMax exports of one tenant at once at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  grew(tenantId: string): void {
    for (const each of this.#exports.get(tenantId) ?? []) each.grew();
  }

  /** Takes a place; the returned function gives it back and MUST be called. Fault `rate.limited`. */
  join(tenantId: string, exporting: Exporting): () => void {
    const exports = this.#exports.get(tenantId) ?? new Set();
    if (exports.size >= this.#tenantMax)
      throw new Fault(
        'rate.limited',
        `a tenant may have ${String(this.#tenantMax)} exports under way here: end one, or wait until one has ended`,
      );
    this.#exports.set(tenantId, exports.add(exporting));
    return () => {
      exports.delete(exporting);
      // Another set may have taken its place.
      if (exports.size === 0 && this.#exports.get(tenantId) === exports) this.#exports.delete(tenantId);
    };
  }

  /** Lets every export end: the process stops. */
  close(): void {
    for (const each of [...this.#exports.values()].flatMap((set) => [...set])) each.stopping();
  }
}
