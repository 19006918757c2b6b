// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/** An export in progress. */
export interface ActiveExport {
  /** Called when the tenant's log grew. */
  logGrew(): void;
  /** Called when the process stops. */
  stopping(): void;
}

/**
 * Tracks the exports in progress at this replica by tenant, limits their number, and notifies those that wait for
 * records.
 */
export class ExportHub {
  readonly #exports = new Map<string, Set<ActiveExport>>();
  readonly #tenantMax: number;

  /** @param tenantMax most concurrent exports of one tenant at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  publishGrowth(tenantId: string): void {
    for (const each of this.#exports.get(tenantId) ?? []) each.logGrew();
  }

  /** Registers an export. Callers MUST call the returned function, which removes it. Fault `rate.limited`. */
  register(tenantId: string, activeExport: ActiveExport): () => void {
    const exports = this.#exports.get(tenantId) ?? new Set();
    if (exports.size >= this.#tenantMax)
      throw new Fault(
        'rate.limited',
        `a tenant may have ${String(this.#tenantMax)} exports under way here: end one, or wait until one has ended`,
      );
    this.#exports.set(tenantId, exports.add(activeExport));
    return () => {
      exports.delete(activeExport);
      // Another set may have replaced it.
      if (exports.size === 0 && this.#exports.get(tenantId) === exports) this.#exports.delete(tenantId);
    };
  }

  /** Ends every export, because the process stops. */
  close(): void {
    for (const each of [...this.#exports.values()].flatMap((set) => [...set])) each.stopping();
  }
}
