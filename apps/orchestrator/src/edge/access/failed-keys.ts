// SPDX-License-Identifier: Apache-2.0
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { LaterFault } from '../problems/problem.ts';

/** How long failures count, from the first of them. */
const WINDOW_MS = 60_000;
/** Addresses kept in mind; beyond them the one that was quiet longest is forgotten. */
const ADDRESSES_MAX = 20_000;

/**
 * Counts keys that are none by the address that presents them, so that guessing, or a client that was never told of a
 * revocation, costs the store of keys a bounded number of look-ups. Per replica. Callers MUST NOT ask about a key that
 * is known to be good: an address is many people's, and nobody's fault is another's.
 */
export class FailedKeys {
  readonly #max: number;
  readonly #failures: LRUCache<string, { count: number }>;

  /** @param max failures a minute; @param monotonic milliseconds */
  constructor(max: number, monotonic: () => number) {
    this.#max = max;
    // The window is the entry's time to live: it begins with the first failure, and later ones don't extend it.
    this.#failures = new LRUCache({
      max: ADDRESSES_MAX,
      ttl: WINDOW_MS,
      ttlResolution: 0,
      noUpdateTTL: true,
      perf: { now: monotonic },
    });
  }

  /** Returns where the address may present a key that nobody knows. Fault `rate.limited`, with when it may. */
  verifyMayTry(address: string): void {
    const source = sourceOf(address);
    if ((this.#failures.get(source)?.count ?? 0) < this.#max) return;
    const afterS = Math.ceil(this.#failures.getRemainingTTL(source) / 1_000);
    throw new LaterFault(
      'rate.limited',
      `this address presented ${this.#max} keys within a minute that are not valid`,
      Math.max(1, afterS),
    );
  }

  /** Notes a key that is none. */
  note(address: string): void {
    const source = sourceOf(address);
    const failures = this.#failures.get(source);
    if (failures === undefined) this.#failures.set(source, { count: 1 });
    else failures.count += 1;
  }
}

/**
 * Who an address stands for: of IPv6 its /64, since whoever has one address has all of that; IPv4 however it is
 * written.
 */
function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
