// SPDX-License-Identifier: Apache-2.0
import type { Signal } from './options.ts';
import type { Platform } from './transport.ts';

/** What every platform of the client has: Node.js 20, Deno, Bun, browsers, and those of the edge. */
export function platformOf(ownFetch: ((url: string, init: never) => Promise<unknown>) | undefined): Platform {
  return {
    // Called as a function: `fetch` of browsers refuses another `this`.
    fetch:
      ownFetch === undefined
        ? (url, init) => globalThis.fetch(url, init)
        : (url, init) => ownFetch(url, init as never) as Promise<Response>,
    now: () => Date.now(),
    chance: () => Math.random(),
    sleep,
  };
}

/** Resolves after `ms`. Rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal: Signal | undefined): Promise<void> {
  const real = signal as AbortSignal | undefined;
  return new Promise((resolve, reject) => {
    if (real?.aborted === true) return reject(real.reason as Error);
    const stop = (): void => {
      clearTimeout(timer);
      reject(real?.reason as Error);
    };
    const timer = setTimeout(() => {
      real?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    real?.addEventListener('abort', stop, { once: true });
  });
}
