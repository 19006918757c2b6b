// SPDX-License-Identifier: Apache-2.0
import type { V1Pod } from '@kubernetes/client-node';
import type { SandboxEventListener } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import { requestApi } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import type { PodState } from './pod-state.ts';

/**
 * Short enough to resume soon after the API server is back, long enough to cost nothing while it isn't. With jitter,
 * since all executors lose it at once.
 */
const RECONNECT_MS = 500;
/** Seconds after which a server ends a watch, so that an undetected dead one isn't followed for longer. */
const WATCH_S = 300;
/** The server's status where its history no longer contains the position of a watch. */
const EXPIRED = 410;

/** The state of an object, or that it is gone. */
export type Seen<S = PodState> = S | 'gone';
interface Waiting<S> {
  readonly name: string;
  readonly see: (seen: Seen<S>) => void;
}

/** The metadata that a watch needs, which every object of Kubernetes has. */
export interface Watched {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
}
interface WatchedList<O> {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items: readonly O[];
}

export interface ObjectWatchOptions<O extends Watched, S> {
  readonly api: KubeApi;
  /** the kind of its objects, for error messages */
  readonly what: 'pods' | 'claims';
  /** where the API server lists them */
  readonly path: string;
  /** labels of all watched objects and of no others */
  readonly selector: string;
  /** extracts the state of an object */
  readonly stateOf: (object: O) => S;
  readonly report: SandboxEventListener;
  /** called each time that the API server is reachable again */
  readonly back: () => void;
}

/**
 * Follows objects of one kind by one watch. It begins with a list, and then follows changes. When the server ends the
 * watch, it continues at the last position, or with a new list where the server's history no longer contains that. The
 * states come from the cluster, not from the job.
 */
export class ObjectWatch<O extends Watched, S extends { readonly name: string }> {
  readonly #options: ObjectWatchOptions<O, S>;
  readonly #objects = new Map<string, S>();
  readonly #waiting = new Set<Waiting<S>>();
  readonly #closing = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #lost = false;

  constructor(options: ObjectWatchOptions<O, S>) {
    this.#options = options;
  }

  /** Starts to follow; resolves when the server has answered, or is found not to answer. */
  async start(): Promise<void> {
    const from = await this.#list();
    this.#ended = this.#follow(from);
  }

  /** Whether the watch is interrupted: no change arrives then, so callers need not wait. */
  get isLost(): boolean {
    return this.#lost;
  }

  /**
   * Resolves with the first result of `take` that isn't null, beginning with the current state. Rejects with an error
   * of `take`, and when the signal aborts.
   */
  until<T>(name: string, select: (seen: Seen<S>) => T | null, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', abort);
      };
      const abort = (): void => {
        end();
        reject(signal.reason instanceof Error ? signal.reason : new Error('nobody waits any more'));
      };
      const see = (seen: Seen<S>): void => {
        try {
          const taken = select(seen);
          if (taken === null) return;
          end();
          resolve(taken);
        } catch (error) {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const waiting = { name, see };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) return abort();
      const now = this.#objects.get(name);
      if (now !== undefined) see(now);
    });
  }

  /** The last seen state of an object; null where it doesn't exist. */
  stateOf(name: string): S | null {
    return this.#objects.get(name) ?? null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #follow(listed: string | null): Promise<void> {
    let from = listed;
    while (!this.#closing.signal.aborted) {
      try {
        from = from === null ? await this.#again() : await this.#watch(from);
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        // Reported once it is certain: a broken watch alone is simply started again.
        if (!(error instanceof ApiError && error.status === EXPIRED)) await this.#pause();
        from = null;
      }
    }
  }

  /** The position of the next watch; null where a new list is needed. */
  async #watch(from: string): Promise<string | null> {
    const { api, what, path, selector, stateOf } = this.#options;
    const query = {
      labelSelector: selector,
      resourceVersion: from,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(WATCH_S),
    };
    let at = from;
    for await (const { type, object } of api.watch(`watch ${what}`, path, query, this.#closing.signal)) {
      // The server's own error, for example an expired position, needs a new list.
      if (type === 'ERROR') return null;
      const seen = object as O;
      at = seen.metadata?.resourceVersion ?? at;
      if (type === 'ADDED' || type === 'MODIFIED') this.#see(stateOf(seen));
      else if (type === 'DELETED') this.#miss(stateOf(seen));
    }
    return at;
  }

  async #again(): Promise<string | null> {
    const from = await this.#list();
    if (from === null) await this.#pause();
    return from;
  }

  /** The position at which a watch after this list begins; null where the server doesn't answer. */
  async #list(): Promise<string | null> {
    const { api, what, path, selector, stateOf, report } = this.#options;
    try {
      const list = await requestApi<WatchedList<O>>(api, `list ${what}`, {
        method: 'GET',
        path,
        query: { labelSelector: selector },
      });
      const names = new Set(list.items.map(({ metadata }) => metadata?.name ?? ''));
      for (const name of [...this.#objects.keys()]) if (!names.has(name)) this.#gone(name);
      for (const object of list.items) this.#see(stateOf(object));
      this.#found();
      return list.metadata?.resourceVersion ?? null;
    } catch (error) {
      if (!this.#lost && !this.#closing.signal.aborted)
        report({ type: 'engine.lost', error: error instanceof Error ? error : new Error(String(error)) });
      this.#lost = true;
      return null;
    }
  }

  #found(): void {
    if (!this.#lost) return;
    this.#lost = false;
    this.#options.report({ type: 'engine.back' });
    this.#options.back();
  }

  #see(state: S): void {
    this.#objects.set(state.name, state);
    this.#notify(state.name, state);
  }

  /** The last event of an object shows how it ended. */
  #miss(state: S): void {
    this.#notify(state.name, state);
    this.#gone(state.name);
  }

  #gone(name: string): void {
    this.#objects.delete(name);
    this.#notify(name, 'gone');
  }

  #notify(name: string, seen: Seen<S>): void {
    for (const waiting of [...this.#waiting]) if (waiting.name === name) waiting.see(seen);
  }

  async #pause(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RECONNECT_MS * (0.5 + Math.random()));
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}

/** Watches pods, as the kubelet reports them. */
export type PodWatch = ObjectWatch<V1Pod, PodState>;
