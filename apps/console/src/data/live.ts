// SPDX-License-Identifier: Apache-2.0
// One stream of events for the whole console. INVARIANT (events only say where to look): what is shown comes from reads
// of the API. So a lost event costs time and nothing else, and after each break everything shown is read again.
import { ApiClient, type ServerEvent, type WritOptions } from '@writ/client/web';
import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import { Silence, watchedFetch } from './silence.ts';

/** What the console uses of an event about an operation. */
export interface OperationNotice {
  readonly operation_id: string;
  readonly state: string;
  readonly approval_id: string | null;
}

export type Connection = 'connecting' | 'live' | 'lost';

/** Pauses before a stream is opened again, in milliseconds. */
const PAUSE_FIRST_MS = 500;
const PAUSE_MAX_MS = 8_000;
/** The server sends something each 15 seconds. After so many milliseconds without, the connection is taken as lost. */
const SILENCE_MAX_MS = 40_000;
/** Listeners are called in turns of this many milliseconds: a flood of events costs as many turns as a few do. */
const TURN_MS = 250;
/** Notices of one turn. Beyond them a listener reads everything again. */
const NOTICES_MAX = 500;

/** A turn: the notices since the last one, or null where some may be missing. */
type Listener = (notices: readonly OperationNotice[] | null) => void;

/** Follows events, and passes them on in turns. */
export class Live {
  readonly #api: ApiClient;
  /** called with each piece of the stream */
  #heard: () => void = () => undefined;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  #connection: Connection = 'connecting';
  #gathered: OperationNotice[] | null = [];
  #timer: number | null = null;

  constructor(options: WritOptions) {
    this.#api = new ApiClient({ ...options, fetch: watchedFetch(() => this.#heard()) });
  }

  /** Follows until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    for (let pause = PAUSE_FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, PAUSE_MAX_MS)) {
      const silence = new Silence(SILENCE_MAX_MS);
      this.#heard = () => silence.end();
      try {
        const whole = AbortSignal.any([signal, silence.signal]);
        for await (const notice of this.#api.events.follow({}, { signal: whole, retries: 0 })) {
          pause = PAUSE_FIRST_MS;
          this.#take(notice);
        }
      } catch {
        // The state of the connection says it, and it is opened again.
      } finally {
        silence.close();
      }
      if (signal.aborted) return;
      this.#report('lost');
      await paused(pause * (0.5 + Math.random() / 2), signal);
    }
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly connection = (): Connection => this.#connection;

  #take({ event, data }: ServerEvent): void {
    if (event === 'ready') {
      this.#report('live');
      this.#gather(null);
    } else if (event === 'cut') this.#gather(null);
    else if (event === 'operation') this.#gather(data as OperationNotice);
  }

  #report(connection: Connection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    for (const watcher of this.#watchers) watcher();
  }

  #gather(notice: OperationNotice | null): void {
    if (notice === null || this.#gathered === null || this.#gathered.length >= NOTICES_MAX) this.#gathered = null;
    else this.#gathered.push(notice);
    this.#timer ??= window.setTimeout(() => this.#turn(), TURN_MS);
  }

  #turn(): void {
    const notices = this.#gathered;
    [this.#gathered, this.#timer] = [[], null];
    for (const listener of this.#listeners) listener(notices);
  }
}

/** Resolves after `ms`, or when the signal aborts, or when the browser says that it is online again. */
const paused = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      window.clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = window.setTimeout(done, ms);
    window.addEventListener('online', done, { once: true });
    signal.addEventListener('abort', done, { once: true });
  });

export const LiveContext = createContext<Live | null>(null);

function useStream(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('this part is shown without a stream of events');
  return live;
}

export function useConnection(): Connection {
  const live = useStream();
  return useSyncExternalStore(live.watch, live.connection);
}

/** Calls a stable listener at each turn, while the part is shown. */
export function useNotices(listener: Listener): void {
  const live = useStream();
  useEffect(() => live.listen(listener), [live, listener]);
}
