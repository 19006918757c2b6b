// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RetryAfterFault } from '../problems/problem.ts';

/** How long failures count, from the first of them. */
const WINDOW_MS = 60_000;
/** Counted addresses; beyond that number the least recently used one is dropped. */
const ADDRESSES_MAX = 20_000;

/**
 * Counts invalid keys by the address that presents them. So guesses, or a client that keeps using a revoked key, cost
 * the key store a bounded number of look-ups. Per replica. Callers MUST NOT apply the limit to a key that was valid
 * recently: many people may share an address, and none should suffer for another's mistakes.
 */
export class FailedKeys {
  readonly #max: number;
  readonly #what: string;
  readonly #failures: LRUCache<string, { count: number }>;

  /** @param max failures a minute; @param monotonic milliseconds; @param what is counted */
  constructor(max: number, monotonic: () => number, what = 'keys that are not valid') {
    this.#max = max;
    this.#what = what;
    // The window is the entry's time to live: it begins with the first failure, and later ones don't extend it.
    this.#failures = new LRUCache({
      max: ADDRESSES_MAX,
      ttl: WINDOW_MS,
      ttlResolution: 0,
      noUpdateTTL: true,
      perf: { now: monotonic },
    });
  }

  /** Returns if the address may present another unknown key. Fault `rate.limited`, with the time after which it may. */
  verifyMayRetry(address: string): void {
    const source = sourceOf(address);
    if ((this.#failures.get(source)?.count ?? 0) < this.#max) return;
    const afterS = Math.ceil(this.#failures.getRemainingTTL(source) / 1_000);
    throw new RetryAfterFault(
      'rate.limited',
      `within a minute this address presented ${this.#max} ${this.#what}`,
      Math.max(1, afterS),
    );
  }

  /** Counts an invalid key. */
  recordFailure(address: string): void {
    const source = sourceOf(address);
    const failures = this.#failures.get(source);
    if (failures === undefined) this.#failures.set(source, { count: 1 });
    else failures.count += 1;
  }
}

/**
 * The source that an address counts for: its /64 for IPv6, since one client usually has the whole prefix, and the same
 * text for every notation of an IPv4 address.
 */
function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
