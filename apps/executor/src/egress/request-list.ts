// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type EgressRequest } from '@writ/contract';

type Mutable = { -readonly [K in keyof EgressRequest]: EgressRequest[K] };

/** Text of a job's or a stranger's, fit for a list that people read. */
export const shown = (text: string, charsMax: number): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, charsMax);

/** One request of the list, filled in as it goes on. */
export class ListedRequest {
  readonly entry: Mutable;

  constructor(entry: Mutable) {
    this.entry = entry;
  }

  refused(reason: string): void {
    this.entry.outcome = 'refused';
    this.entry.reason = shown(reason, 256);
  }

  connected(address: string): void {
    this.entry.address = address.slice(0, 64);
  }

  answered(status: number): void {
    this.entry.outcome = 'answered';
    this.entry.reason = null;
    this.entry.status = status >= 100 && status <= 999 ? status : null;
  }

  /** What went wrong after it was let out; an answer that came before that stays one. */
  failed(reason: string): void {
    if (this.entry.outcome !== 'failed') return;
    this.entry.reason = shown(reason, 256);
  }
}

/** INVARIANT (nothing unlisted): whatever leaves was listed before. The list is bounded, and where it is full nothing leaves. */
export class RequestList {
  readonly #entries: Mutable[] = [];
  readonly #most: number;
  readonly #elapsed: () => number;

  /** @param most of this call. @param elapsed milliseconds since the attempt began */
  constructor(most: number, elapsed: () => number) {
    this.#most = Math.min(most, LIMITS.egressRequests.max);
    this.#elapsed = elapsed;
  }

  get entries(): readonly EgressRequest[] {
    return this.#entries;
  }

  /** Lists a request as failed until something better is known of it; null where there is no more room. */
  add(method: string, target: string, purpose: string): ListedRequest | null {
    if (this.#entries.length >= this.#most) return null;
    const entry: Mutable = {
      at_ms: Math.max(0, Math.round(this.#elapsed())), method: shown(method, 16), target: shown(target, 512), purpose: purpose.slice(0, 256), outcome: 'failed', reason: 'it did not end',
      address: null, status: null, sent_bytes: 0, received_bytes: 0,
    };
    this.#entries.push(entry);
    return new ListedRequest(entry);
  }
}
