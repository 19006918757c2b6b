// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type AnnouncedRequests, type EgressRequest } from '@writ/contract';

type Mutable = { -readonly [K in keyof EgressRequest]: EgressRequest[K] };

/** Text of a job's or a stranger's, fit for a list that people read. */
export const shown = (text: string, charsMax: number): string =>
  text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, charsMax);

/** One request of the list, filled in as it goes on. */
export class ListedRequest {
  readonly entry: Mutable;
  /** which line of the list it is, from 0 */
  readonly line: number;

  constructor(entry: Mutable, line: number) {
    this.entry = entry;
    this.line = line;
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

/**
 * INVARIANT (nothing unlisted): whatever leaves was listed before. The list is bounded, and where it is full nothing
 * leaves.
 */
export class RequestList {
  readonly #entries: Mutable[] = [];
  readonly #most: number;
  readonly #elapsed: () => number;
  readonly #told: (request: EgressRequest) => EgressRequest;
  /** lines that the kernel has */
  #announced = 0;
  /** messages that were made of lines */
  #messages = 0;
  /** of a line of which more became known: how many messages were made before */
  readonly #grown = new Map<number, number>();

  /**
   * @param most of this call.
   * @param elapsed milliseconds since the attempt began.
   * @param told a line as others may read it
   */
  constructor(most: number, elapsed: () => number, told: (request: EgressRequest) => EgressRequest) {
    this.#most = Math.min(most, LIMITS.egressRequests.max);
    this.#elapsed = elapsed;
    this.#told = told;
  }

  /** A message of the first lines that the kernel doesn't have, as many as go into one; null where it has all. */
  takeUnannounced(): AnnouncedRequests | null {
    const items: EgressRequest[] = [];
    let bytes = 0;
    for (const entry of this.#entries.slice(this.#announced)) {
      // As they are now: a line goes on to change.
      const item = this.#told({ ...entry });
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (items.length > 0 && bytes > LIMITS.requestsInlineBytes.max) break;
      items.push(item);
    }
    return items.length === 0 ? null : { seq: this.#messages++, from: this.#announced, items };
  }

  /**
   * The kernel has these lines. Several messages may be under way at once: one made before a line grew doesn't have
   * what was added.
   */
  announced({ seq, from, items }: AnnouncedRequests): void {
    const old = [...this.#grown].filter(([, before]) => seq < before).map(([line]) => line);
    this.#announced = Math.max(this.#announced, Math.min(from + items.length, ...old));
  }

  isAnnounced({ line }: ListedRequest): boolean {
    return line < this.#announced;
  }

  /** What is known of the line has grown: it is to be announced anew. */
  grown({ line }: ListedRequest): void {
    this.#announced = Math.min(this.#announced, line);
    this.#grown.set(line, this.#messages);
  }

  get entries(): readonly EgressRequest[] {
    return this.#entries;
  }

  /** Lists a request as failed until something better is known of it; null where there is no more room. */
  add(method: string, target: string, purpose: string): ListedRequest | null {
    if (this.#entries.length >= this.#most) return null;
    const entry: Mutable = {
      at_ms: Math.max(0, Math.round(this.#elapsed())),
      method: shown(method, 16),
      target: shown(target, 512),
      purpose: purpose.slice(0, 256),
      outcome: 'failed',
      reason: 'it did not end',
      address: null,
      status: null,
      sent_bytes: 0,
      received_bytes: 0,
    };
    this.#entries.push(entry);
    return new ListedRequest(entry, this.#entries.length - 1);
  }
}
