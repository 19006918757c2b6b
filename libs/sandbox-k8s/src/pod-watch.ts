// SPDX-License-Identifier: Apache-2.0
import type { V1Pod } from '@kubernetes/client-node';
import type { SandboxEventListener } from '@writ/sandbox-host';
import { ApiError } from './api-error.ts';
import { askApi } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import type { PodState } from './pod-state.ts';

/**
 * Soon enough to be back in business when the API server is, rare enough to cost nothing while it isn't; with jitter,
 * since all executors lose it at once.
 */
const RECONNECT_MS = 500;
/** After which a server ends a watch, in seconds: one that nobody notices to be dead isn't followed for longer. */
const WATCH_S = 300;
/** What a server answers whose memory doesn't reach back to where a watch left off. */
const EXPIRED = 410;

/** What to tell about an object that is gone. */
export type Seen<S = PodState> = S | 'gone';
interface Waiting<S> {
  readonly name: string;
  readonly see: (seen: Seen<S>) => void;
}

/** What every object of Kubernetes has that a watch needs. */
export interface Watched {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
}
interface WatchedList<O> {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items: readonly O[];
}

export interface ObjectWatchOptions<O extends Watched, S> {
  readonly api: KubeApi;
  /** what it is of, as errors call it */
  readonly what: 'pods' | 'claims';
  /** where the API server lists them */
  readonly path: string;
  /** labels that all of them have, and none that isn't watched */
  readonly selector: string;
  /** what is asked of an object */
  readonly stateOf: (object: O) => S;
  readonly report: SandboxEventListener;
  /** called each time that the API server is there again */
  readonly back: () => void;
}

/**
 * Follows objects of one kind by one watch: a list first, then what changes since, again from where it left off when
 * the server ends it, and from a new list where the server has forgotten that place. It is the cluster's word and not
 * the job's.
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

  /** Begins to follow; resolves when the server answered, or when it is known that it doesn't. */
  async start(): Promise<void> {
    const from = await this.#list();
    this.#ended = this.#follow(from);
  }

  /** Whether objects are seen: where they aren't, nothing is worth waiting for. */
  get isLost(): boolean {
    return this.#lost;
  }

  /**
   * Resolves with what `take` makes of the object as soon as it makes something of it, beginning with how it stands
   * now. Rejects with what `take` throws, and when the signal aborts.
   */
  until<T>(name: string, take: (seen: Seen<S>) => T | null, signal: AbortSignal): Promise<T> {
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
          const taken = take(seen);
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

  /** How an object stood when it was last seen; null where it isn't there. */
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
        // Told when it is certain: a watch that breaks alone is just begun again.
        if (!(error instanceof ApiError && error.status === EXPIRED)) await this.#pause();
        from = null;
      }
    }
  }

  /** Where the next watch begins; null where a new list must be made. */
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
      // What comes of the server's own error, of which one is that it has forgotten the place.
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

  /** Where a watch of what was listed begins; null where the server doesn't answer. */
  async #list(): Promise<string | null> {
    const { api, what, path, selector, stateOf, report } = this.#options;
    try {
      const list = await askApi<WatchedList<O>>(api, `list ${what}`, {
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
    this.#tell(state.name, state);
  }

  /** The last event of an object shows how it ended. */
  #miss(state: S): void {
    this.#tell(state.name, state);
    this.#gone(state.name);
  }

  #gone(name: string): void {
    this.#objects.delete(name);
    this.#tell(name, 'gone');
  }

  #tell(name: string, seen: Seen<S>): void {
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

/** Pods, as the kubelet reports them. */
export type PodWatch = ObjectWatch<V1Pod, PodState>;
