// SPDX-License-Identifier: Apache-2.0
//
// The body of one answer, as the event loop reads it. INVARIANT (bounded turn): however a server divides its body, a
// turn of the loop reads so many pieces at most, and passes them on as one.
import type { Readable } from 'node:stream';

/** Bytes that the other side has not read yet. More wait in the connection, and then at the server. */
const WINDOW_BYTES = 262_144;
/** After so many bytes or pieces a turn of the loop reads no more. */
const TURN_BYTES = 65_536;
const TURN_PIECES = 1_024;

export interface BodyEvents {
  /** Counts a piece as it arrives. It may destroy the reader, and then nothing of the piece is passed on. */
  readonly onPiece: (bytes: number) => void;
  /** what one turn of the event loop read, with a buffer of its own */
  readonly onBytes: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** The body ended, or broke off. */
  readonly onEnd: (isComplete: boolean) => void;
}

/** Reads a body no faster than it is consumed. */
export class BodyReader {
  readonly #body: Readable;
  readonly #events: BodyEvents;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #unread = 0;
  #turn: NodeJS.Immediate | null = null;
  #isOver = false;

  constructor(body: Readable, events: BodyEvents) {
    this.#body = body;
    this.#events = events;
    body.on('error', () => undefined);
    body.on('data', (piece: Uint8Array) => this.#take(piece));
    body.on('end', () => this.#finish(true));
    body.on('close', () => this.#finish(false));
  }

  /** So many bytes were read at the other side. */
  consumed(bytes: number): void {
    this.#unread -= bytes;
    if (this.#turn === null) this.#resume();
  }

  /** Ends it. Nothing is passed on any more. */
  destroy(): void {
    this.#isOver = true;
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#pieces = [];
    this.#body.destroy();
  }

  #take(piece: Uint8Array): void {
    this.#events.onPiece(piece.length);
    if (this.#isOver) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#turn ??= setImmediate(() => {
      this.#turn = null;
      this.#pass();
      this.#resume();
    });
    if (this.#bytes >= TURN_BYTES || this.#pieces.length >= TURN_PIECES) this.#body.pause();
  }

  #pass(): void {
    if (this.#bytes === 0) return;
    // Its own buffer: a message to a thread copies the whole buffer of which it shows a part.
    const bytes = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    [this.#pieces, this.#bytes] = [[], 0];
    this.#unread += bytes.length;
    if (this.#unread >= WINDOW_BYTES) this.#body.pause();
    this.#events.onBytes(bytes);
  }

  #resume(): void {
    if (!this.#isOver && this.#unread < WINDOW_BYTES) this.#body.resume();
  }

  #finish(isComplete: boolean): void {
    if (this.#isOver) return;
    this.#pass();
    this.#isOver = true;
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#events.onEnd(isComplete);
  }
}
