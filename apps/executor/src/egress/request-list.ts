// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type AnnouncedRequests, type EgressRequest } from '@writ/contract';

type Mutable = { -readonly [K in keyof EgressRequest]: EgressRequest[K] };

/** Untrusted text of a job or a server, made printable for a list that people read. */
export const printable = (text: string, charsMax: number): string =>
  text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, charsMax);

/** One request of the list, completed as the request proceeds. */
export class ListedRequest {
  readonly entry: Mutable;
  /** its line number in the list, from 0 */
  readonly line: number;

  constructor(entry: Mutable, line: number) {
    this.entry = entry;
    this.line = line;
  }

  refused(reason: string): void {
    this.entry.outcome = 'refused';
    this.entry.reason = printable(reason, 256);
  }

  connected(address: string): void {
    this.entry.address = address.slice(0, 64);
  }

  answered(status: number): void {
    this.entry.outcome = 'answered';
    this.entry.reason = null;
    this.entry.status = status >= 100 && status <= 999 ? status : null;
  }

  /** Records what has no status of HTTP: an open connection, or the addresses of a name. */
  opened(): void {
    this.answered(0);
  }

  /** Records a failure after admission; a request that was already answered stays answered. */
  failed(reason: string): void {
    if (this.entry.outcome !== 'failed') return;
    this.entry.reason = printable(reason, 256);
  }
}

/**
 * INVARIANT (nothing unlisted): every request is listed before it leaves. The list is bounded, and when it is full
 * nothing leaves.
 */
export class RequestList {
  readonly #entries: Mutable[] = [];
  readonly #most: number;
  readonly #elapsed: () => number;
  readonly #redact: (request: EgressRequest) => EgressRequest;
  /** number of first lines that the kernel has */
  #announced = 0;
  /** number of messages made so far */
  #messages = 0;
  /** by changed line: how many messages were made before the change */
  readonly #changed = new Map<number, number>();

  /**
   * @param most the limit of this call
   * @param elapsed milliseconds since the attempt began
   * @param redact redacts a line for others to read
   */
  constructor(most: number, elapsed: () => number, redact: (request: EgressRequest) => EgressRequest) {
    this.#most = Math.min(most, LIMITS.egressRequests.max);
    this.#elapsed = elapsed;
    this.#redact = redact;
  }

  /** The next message: the first lines that the kernel doesn't have, as many as fit; null where it has all. */
  nextAnnouncement(): AnnouncedRequests | null {
    const items: EgressRequest[] = [];
    let bytes = 0;
    for (const entry of this.#entries.slice(this.#announced)) {
      // A copy, since the line continues to change.
      const item = this.#redact({ ...entry });
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (items.length > 0 && bytes > LIMITS.requestsInlineBytes.max) break;
      items.push(item);
    }
    return items.length === 0 ? null : { seq: this.#messages++, from: this.#announced, items };
  }

  /**
   * Marks these lines as received by the kernel. Several messages may be in flight; one from before a line changed
   * doesn't contain the change.
   */
  markAnnounced({ seq, from, items }: AnnouncedRequests): void {
    const old = [...this.#changed].filter(([, before]) => seq < before).map(([line]) => line);
    this.#announced = Math.max(this.#announced, Math.min(from + items.length, ...old));
  }

  isAnnounced({ line }: ListedRequest): boolean {
    return line < this.#announced;
  }

  /** Marks a line as changed, so that it is announced again. */
  markChanged({ line }: ListedRequest): void {
    this.#announced = Math.min(this.#announced, line);
    this.#changed.set(line, this.#messages);
  }

  get entries(): readonly EgressRequest[] {
    return this.#entries;
  }

  /** Lists a request, as failed until its real outcome is recorded; null where the list is full. */
  add(method: string, target: string, purpose: string): ListedRequest | null {
    if (this.#entries.length >= this.#most) return null;
    const entry: Mutable = {
      at_ms: Math.max(0, Math.round(this.#elapsed())),
      method: printable(method, 16),
      target: printable(target, 512),
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
