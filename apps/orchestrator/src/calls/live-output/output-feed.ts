// SPDX-License-Identifier: Apache-2.0
import { WATCH_HELD_MS, WATCHED_BYTES_MAX, type OutputEvent, type WatchEvent } from '@writ/contract';
import { KeptOutput } from './kept-output.ts';

/** Between an answer and the next request: what is written meanwhile comes in one piece. */
const PAUSE_MS = 50;
/** How long a request waits for its answer before the next one is sent: its call doesn't run, or a message was lost. */
const ANSWER_MS = 2 * WATCH_HELD_MS;

/** Receives the progress of a call's output. */
export interface OutputListener {
  /** There is new output, another attempt, or a sign of life. */
  progressed(): void;
  /** The process stops. */
  stopping(): void;
}

/**
 * The output of one running call, as far as the executor that runs it has sent it: shared by all who follow the call at
 * this replica. INVARIANT (one at a time): one request is under way, so the executor never sends faster than this
 * process reads. INVARIANT (bounded): the newest `WATCHED_BYTES_MAX` bytes are kept, however many follow it.
 */
export class OutputFeed {
  readonly #watchId: string;
  readonly #call: Pick<WatchEvent, 'tenant_id' | 'operation_id'>;
  readonly #publish: (event: WatchEvent) => void;
  readonly #now: () => number;
  readonly #listeners = new Set<OutputListener>();
  #kept = new KeptOutput(WATCHED_BYTES_MAX);
  #timer: NodeJS.Timeout | undefined;
  #attempt: number | null = null;
  #heardAt: number | null = null;
  #newest: Pick<OutputEvent, 'output_bytes' | 'withheld' | 'closed'> = {
    output_bytes: 0,
    withheld: false,
    closed: false,
  };

  constructor(
    watchId: string,
    call: Pick<WatchEvent, 'tenant_id' | 'operation_id'>,
    publish: (event: WatchEvent) => void,
    now: () => number,
  ) {
    this.#watchId = watchId;
    this.#call = call;
    this.#publish = publish;
    this.#now = now;
  }

  /** the attempt whose output this is; null before the first sign of life */
  get attempt(): number | null {
    return this.#attempt;
  }

  get kept(): Pick<KeptOutput, 'start' | 'end' | 'pieceAt'> {
    return this.#kept;
  }

  get newest(): Readonly<Pick<OutputEvent, 'output_bytes' | 'withheld' | 'closed'>> {
    return this.#newest;
  }

  /** Milliseconds since the executor's last answer; null before the first. */
  get silentMs(): number | null {
    return this.#heardAt === null ? null : Math.round(this.#now() - this.#heardAt);
  }

  /** Whether all output of an attempt that is over has arrived. */
  get isComplete(): boolean {
    const { closed, withheld, output_bytes } = this.#newest;
    return closed && (withheld || this.#kept.end >= output_bytes);
  }

  add(listener: OutputListener): void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#ask();
  }

  /** Returns whether nobody is left. */
  remove(listener: OutputListener): boolean {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return false;
    clearTimeout(this.#timer);
    return true;
  }

  stopping(): void {
    clearTimeout(this.#timer);
    for (const listener of [...this.#listeners]) listener.stopping();
  }

  /** An answer of an executor. One of an earlier attempt, or for another process, is ignored. */
  receive({ tenant_id, watch_id, attempt, from, bytes, output_bytes, withheld, closed }: OutputEvent): void {
    if (watch_id !== this.#watchId || tenant_id !== this.#call.tenant_id || attempt < (this.#attempt ?? 0)) return;
    if (attempt !== this.#attempt) {
      this.#attempt = attempt;
      this.#kept = new KeptOutput(WATCHED_BYTES_MAX);
    }
    this.#heardAt = this.#now();
    this.#newest = { output_bytes, withheld, closed };
    if (!withheld) this.#kept.add(from, Buffer.from(bytes, 'base64'));
    for (const listener of [...this.#listeners]) listener.progressed();
    // After the end of an attempt, another one may come.
    this.#askIn(this.isComplete ? ANSWER_MS : PAUSE_MS);
  }

  #ask(): void {
    this.#publish({
      v: 1,
      ...this.#call,
      watch_id: this.#watchId,
      attempt: this.#attempt,
      from: this.#attempt === null ? 0 : this.#kept.end,
    });
    this.#askIn(ANSWER_MS);
  }

  #askIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.#ask(), ms).unref();
  }
}
