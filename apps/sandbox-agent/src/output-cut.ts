// SPDX-License-Identifier: Apache-2.0
import { CHUNK_BYTES_MAX, type AgentMessage } from '@writ/sandbox';

/** Passes on output until the bound is reached; after that only counts it, so that a flood costs nobody but the job. */
export class OutputCut {
  readonly #speak: (message: AgentMessage) => void;
  #left: number;
  #sequence = 0;
  #dropped = 0;

  constructor(bytesMax: number, speak: (message: AgentMessage) => void) {
    this.#left = bytesMax;
    this.#speak = speak;
  }

  get droppedBytes(): number {
    return this.#dropped;
  }

  /** Counts bytes that came and were not kept. */
  drop(count: number): void {
    this.#dropped += count;
  }

  /** Takes a piece of one stream, in the order in which the pieces came. */
  take(type: 'stdout' | 'stderr', bytes: Buffer): void {
    const passed = bytes.subarray(0, this.#left);
    for (let at = 0; at < passed.length; at += CHUNK_BYTES_MAX) {
      this.#speak({ type, sequence: this.#sequence++, bytes: passed.subarray(at, at + CHUNK_BYTES_MAX) });
    }
    this.#left -= passed.length;
    this.#dropped += bytes.length - passed.length;
  }
}
