// SPDX-License-Identifier: Apache-2.0
import type { Duplex, Writable } from 'node:stream';
import type { Wire, WireListener } from '@writ/sandbox-host';
import { Demux } from './demux.ts';

/** The stream that the engine attaches to a container, with its outputs demultiplexed. */
export class DockerWire implements Wire {
  readonly #stream: Duplex;
  /** the agent's input; the attached stream where there is no direct pipe */
  #input: Writable;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#input = stream;
  }

  get input(): Writable {
    return this.#input;
  }

  listen({ stdout, stderr, closed }: WireListener): void {
    const demux = new Demux(stdout, stderr);
    this.#stream.on('data', (chunk: Buffer) => demux.push(chunk));
    this.#stream.on('error', (error: Error) => closed(error));
    this.#stream.on('close', () => closed(null));
    this.#stream.on('end', () => closed(null));
  }

  /**
   * Sends through that pipe from now on. The end of the pipe also ends the attached stream, whose listener is notified.
   */
  useDirectInput(input: Writable | null): void {
    if (input === null) return;
    input.on('error', () => undefined);
    if (this.#stream.destroyed) input.destroy();
    else this.#input = input;
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#input.destroy();
    this.#stream.destroy();
  }
}
