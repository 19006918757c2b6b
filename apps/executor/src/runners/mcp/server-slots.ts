// SPDX-License-Identifier: Apache-2.0

interface Server {
  running: number;
  /** each begins one call, in order of arrival */
  readonly waiting: Set<() => void>;
}

/** Bounds the calls that are under way at each server, in this process. Who waits longest is next. */
export class ServerSlots {
  readonly #servers = new Map<string, Server>();

  /**
   * Resolves with what gives the slot back, to be called once; null where none came free in time.
   * @throws the reason of the signal
   */
  async take(server: string, slots: number, waitMs: number, signal: AbortSignal): Promise<(() => void) | null> {
    signal.throwIfAborted();
    const own = this.#servers.get(server) ?? { running: 0, waiting: new Set() };
    this.#servers.set(server, own);
    if (own.running < slots) own.running += 1;
    else if (!(await hasSlot(own, waitMs, signal))) return null;
    return () => this.#release(server, own);
  }

  #release(server: string, own: Server): void {
    own.running -= 1;
    const [next] = own.waiting;
    if (next !== undefined) next();
    else if (own.running === 0) this.#servers.delete(server);
  }
}

/** Whether it got a slot, which is counted then. */
async function hasSlot(own: Server, waitMs: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const begin = (): void => {
    own.waiting.delete(begin);
    own.running += 1;
    resolve(true);
  };
  const leave = (end: () => void) => (): void => {
    if (own.waiting.delete(begin)) end();
  };
  const stop = leave(() => reject(signal.reason as Error));
  const timer = setTimeout(
    leave(() => resolve(false)),
    waitMs,
  );
  signal.addEventListener('abort', stop, { once: true });
  own.waiting.add(begin);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
