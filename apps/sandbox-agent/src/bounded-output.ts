// SPDX-License-Identifier: Apache-2.0
import { CHUNK_BYTES_MAX, type AgentMessage } from '@writ/sandbox';

/** Sends output until the bound is reached; after that it only counts, so that a flood costs only the job. */
export class BoundedOutput {
  readonly #send: (message: AgentMessage) => void;
  #left: number;
  #sequence = 0;
  #dropped = 0;

  constructor(bytesMax: number, send: (message: AgentMessage) => void) {
    this.#left = bytesMax;
    this.#send = send;
  }

  get droppedBytes(): number {
    return this.#dropped;
  }

  /** Counts bytes that were received and not kept. */
  addDropped(count: number): void {
    this.#dropped += count;
  }

  /** Adds a piece of one stream, in order of arrival. */
  push(type: 'stdout' | 'stderr', bytes: Buffer): void {
    const passed = bytes.subarray(0, this.#left);
    for (let at = 0; at < passed.length; at += CHUNK_BYTES_MAX) {
      this.#send({ type, sequence: this.#sequence++, bytes: passed.subarray(at, at + CHUNK_BYTES_MAX) });
    }
    this.#left -= passed.length;
    this.#dropped += bytes.length - passed.length;
  }
}
