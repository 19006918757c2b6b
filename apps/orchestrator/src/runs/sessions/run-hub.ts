// SPDX-License-Identifier: Apache-2.0
import { Fault, type RunNews } from '@writ/contract';

/** Who watches a run. */
export interface RunWatcher {
  heard(news: RunNews): void;
  /** The process stops. */
  stopping(): void;
}

/** Hands what is told of runs to those who watch them here. */
export class RunHub {
  readonly #watchers = new Map<string, Set<RunWatcher>>();
  readonly #ofTenant = new Map<string, number>();
  readonly #tenantMax: number;

  /** @param tenantMax watchers of one tenant at this replica */
  constructor(tenantMax: number) {
    this.#tenantMax = tenantMax;
  }

  heard(news: RunNews): void {
    for (const watcher of this.#watchers.get(news.run_id) ?? []) watcher.heard(news);
  }

  /** Begins to watch; the returned function ends it and MUST be called. Fault `rate.limited`. */
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

  /** Lets everybody who watches go: the process stops. */
  close(): void {
    for (const watcher of [...this.#watchers.values()].flatMap((each) => [...each])) watcher.stopping();
  }
}
