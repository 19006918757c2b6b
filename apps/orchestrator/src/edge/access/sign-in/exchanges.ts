// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { ATTEMPT_S } from './attempts.ts';

/** Exchanges that wait for one issuer: a small share of the requests that a replica serves at once. */
const WAITING_MAX = 16;
/** Remembered attempts: more than people finish within the life of one. */
const USED_MAX = 50_000;

/**
 * Bounds what answers of browsers make Writ ask of identity providers: an attempt is exchanged once, and so many
 * exchanges wait for one issuer, so that a slow one takes no places from the people of others. Per replica; at another
 * one, an attempt that was exchanged meets a code that its issuer has used up.
 */
export class Exchanges {
  readonly #used: LRUCache<string, true>;
  readonly #waiting = new Map<string, number>();

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#used = new LRUCache({ max: USED_MAX, ttl: ATTEMPT_S * 1_000, ttlResolution: 0, perf: { now: monotonic } });
  }

  /**
   * Runs the exchange of the attempt with this state; null if it was run before.
   * @throws Fault `auth.issuer_unavailable` while too many wait: the attempt stays good
   */
  async once<T>(issuer: string, state: string, exchange: () => Promise<T>): Promise<T | null> {
    if (this.#used.has(state)) return null;
    const waiting = this.#waiting.get(issuer) ?? 0;
    if (waiting >= WAITING_MAX)
      throw new Fault('auth.issuer_unavailable', `too many sign-ins wait for the issuer \`${issuer}\``);
    this.#used.set(state, true);
    this.#waiting.set(issuer, waiting + 1);
    try {
      return await exchange();
    } finally {
      const left = (this.#waiting.get(issuer) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(issuer);
      else this.#waiting.set(issuer, left);
    }
  }
}
