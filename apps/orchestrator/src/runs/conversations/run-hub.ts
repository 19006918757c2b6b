// SPDX-License-Identifier: Apache-2.0
import { Fault, type RunUpdate } from '@writ/contract';

/** A watcher of a run. */
export interface RunWatcher {
  receive(news: RunUpdate): void;
  /** Called when the process stops. */
  stopping(): void;
}

/** Passes messages about runs to their watchers at this replica. */
export class RunHub {
  readonly #watchers = new Map<string, Set<RunWatcher>>();
  readonly #ofTenant = new Map<string, number>();
  readonly #tenantMax: number;

  /** @param tenantMax most watchers of one tenant at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  publish(news: RunUpdate): void {
    for (const watcher of this.#watchers.get(news.run_id) ?? []) watcher.receive(news);
  }

  /** Adds a watcher. Callers MUST call the returned function, which removes it. Fault `rate.limited`. */
  watch(tenantId: string, runId: string, watcher: RunWatcher): () => void {
    const has = this.#ofTenant.get(tenantId) ?? 0;
    if (has >= this.#tenantMax)
      throw new Fault('rate.limited', `a tenant may have ${this.#tenantMax} streams of runs open here`);
    this.#ofTenant.set(tenantId, has + 1);
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(watcher));
    return () => {
      if (!watchers.delete(watcher)) return;
      if (watchers.size === 0 && this.#watchers.get(runId) === watchers) this.#watchers.delete(runId);
      const left = (this.#ofTenant.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#ofTenant.delete(tenantId);
      else this.#ofTenant.set(tenantId, left);
    };
  }

  /** Notifies all watchers that the process stops. */
  close(): void {
    for (const watcher of [...this.#watchers.values()].flatMap((each) => [...each])) watcher.stopping();
  }
}
