// SPDX-License-Identifier: Apache-2.0
//
// The output of running commands for those who follow it over the API. INVARIANT (nothing of a secret): of a call that
// was given a secret, only the size of the output leaves, since the output may hold the secret in any encoding.
// INVARIANT (bounded): a call keeps its newest `WATCHED_BYTES_MAX` bytes and `WATCHES_MAX` requests, and no command
// ever waits for somebody who follows it.
import {
  OUTPUT_PIECE_BYTES_MAX,
  WATCH_HELD_MS,
  WATCHED_BYTES_MAX,
  type OutputEvent,
  type WatchEvent,
} from '@writ/contract';
import type { Call } from '../calls/runner.ts';
import { NewestBytes } from './newest-bytes.ts';
import { halfCharacter } from './shown-text.ts';

/** Processes that follow one call at once: a replica of the API asks for all its clients together. */
const WATCHES_MAX = 32;
/** How long output gathers before it is sent to those who wait: many small writes become one message. */
const GATHER_MS = 50;
/** For how long the end of the output of a followed call is there to be read. */
const KEPT_AFTER_END_MS = 5_000;

type WatchedCall = Pick<Call, 'tenantId' | 'operationId' | 'attempt' | 'secrets' | 'values'>;

/** Receives the output of one call. */
export interface WatchedOutput {
  push(bytes: Uint8Array): void;
  /** The command is over. */
  close(): void;
}

interface Waiting {
  readonly event: WatchEvent;
  readonly timer: NodeJS.Timeout;
}

/** The calls whose output can be followed here. */
export class WatchedOutputs {
  readonly #calls = new Map<string, CallOutput>();
  readonly #executorId: string;
  readonly #publish: (event: OutputEvent) => void;

  constructor(executorId: string, publish: (event: OutputEvent) => void) {
    this.#executorId = executorId;
    this.#publish = publish;
  }

  /** Opens the output of a call. Previews MUST NOT be opened: what they show is for approvers alone. */
  open(call: WatchedCall): WatchedOutput {
    const output = new CallOutput(call, this.#executorId, this.#publish);
    const before = this.#calls.get(call.operationId);
    if (before !== undefined) output.replace(before);
    this.#calls.set(call.operationId, output);
    const remove = (): void => {
      output.remove();
      // A later attempt of the same call may have replaced it.
      if (this.#calls.get(call.operationId) === output) this.#calls.delete(call.operationId);
    };
    return {
      push: (bytes) => output.push(bytes),
      close: () => {
        output.close();
        if (output.wasWatched) setTimeout(remove, KEPT_AFTER_END_MS).unref();
        else remove();
      },
    };
  }

  /**
   * Answers now or when there is something new. Says nothing for a call that doesn't run here: another executor may.
   */
  watch(event: WatchEvent): void {
    const call = this.#calls.get(event.operation_id);
    if (call?.tenantId === event.tenant_id) call.watch(event);
  }
}

/** The newest output of one call, and those who wait for more. */
class CallOutput {
  readonly tenantId: string;
  readonly #call: WatchedCall;
  readonly #executorId: string;
  readonly #publish: (event: OutputEvent) => void;
  readonly #isWithheld: boolean;
  readonly #waiting = new Map<string, Waiting>();
  readonly #newest = new NewestBytes(WATCHED_BYTES_MAX);
  #totalBytes = 0;
  #isClosed = false;
  #flush: NodeJS.Timeout | undefined;
  wasWatched = false;

  constructor(call: WatchedCall, executorId: string, publish: (event: OutputEvent) => void) {
    this.tenantId = call.tenantId;
    this.#call = call;
    this.#executorId = executorId;
    this.#publish = publish;
    this.#isWithheld = Object.keys(call.secrets).length > 0 || call.values?.any === true;
  }

  push(bytes: Uint8Array): void {
    this.#totalBytes += bytes.length;
    if (this.#isWithheld) return;
    this.#newest.push(bytes);
    if (this.#waiting.size > 0) this.#flush ??= setTimeout(() => this.#answerAll(), GATHER_MS).unref();
  }

  watch(event: WatchEvent): void {
    this.wasWatched = true;
    this.#stopWaiting(event.watch_id);
    if (this.#isClosed || this.#piece(event).bytes.length > 0) return this.#answer(event);
    if (this.#waiting.size >= WATCHES_MAX) return;
    const timer = setTimeout(() => {
      this.#waiting.delete(event.watch_id);
      this.#answer(event);
    }, WATCH_HELD_MS).unref();
    this.#waiting.set(event.watch_id, { event, timer });
  }

  /** Takes over those who follow an earlier attempt of the call. */
  replace(before: CallOutput): void {
    this.wasWatched = before.wasWatched;
    const asked = [...before.#waiting.values()].map(({ event }) => event);
    before.remove();
    for (const event of asked) this.watch(event);
  }

  close(): void {
    this.#isClosed = true;
    this.#answerAll();
  }

  remove(): void {
    clearTimeout(this.#flush);
    for (const id of [...this.#waiting.keys()]) this.#stopWaiting(id);
    this.#newest.clear();
  }

  #answerAll(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    for (const { event } of [...this.#waiting.values()]) {
      // Half a character alone is no news.
      if (!this.#isClosed && this.#piece(event).bytes.length === 0) continue;
      this.#stopWaiting(event.watch_id);
      this.#answer(event);
    }
  }

  #answer(event: WatchEvent): void {
    const { from, bytes } = this.#piece(event);
    this.#publish({
      v: 1,
      tenant_id: event.tenant_id,
      operation_id: event.operation_id,
      watch_id: event.watch_id,
      executor_id: this.#executorId,
      attempt: this.#call.attempt,
      from,
      bytes: bytes.toString('base64'),
      output_bytes: this.#totalBytes,
      withheld: this.#isWithheld,
      closed: this.#isClosed,
    });
  }

  /** The next bytes for the asker. While the command runs, a piece never ends within a character. */
  #piece({ attempt, from }: WatchEvent): { readonly from: number; readonly bytes: Buffer } {
    if (this.#isWithheld) return { from: 0, bytes: Buffer.alloc(0) };
    const first = this.#totalBytes - this.#newest.size;
    const start = Math.max(first, attempt === this.#call.attempt ? Math.min(from, this.#totalBytes) : 0);
    const bytes = this.#bytesFrom(start - first);
    const isLast = this.#isClosed && start + bytes.length === this.#totalBytes;
    return { from: start, bytes: isLast ? bytes : bytes.subarray(0, bytes.length - halfCharacter(bytes)) };
  }

  #bytesFrom(offset: number): Buffer {
    const found: Buffer[] = [];
    let [at, size] = [0, 0];
    for (const part of this.#newest.parts) {
      if (size >= OUTPUT_PIECE_BYTES_MAX) break;
      if (at + part.length > offset) {
        const piece = part.subarray(Math.max(0, offset - at));
        found.push(piece);
        size += piece.length;
      }
      at += part.length;
    }
    return Buffer.concat(found).subarray(0, OUTPUT_PIECE_BYTES_MAX);
  }

  #stopWaiting(watchId: string): void {
    clearTimeout(this.#waiting.get(watchId)?.timer);
    this.#waiting.delete(watchId);
  }
}
