// SPDX-License-Identifier: Apache-2.0
import type { Duplex, Writable } from 'node:stream';
import type { Wire, WireListener } from '@writ/sandbox-host';
import { Demux } from './demux.ts';

/** The stream that the engine attaches to a container, with its outputs taken apart. */
export class DockerWire implements Wire {
  readonly #stream: Duplex;
  /** what the agent reads; the attached stream where there is no shorter way */
  #input: Writable;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#input = stream;
  }

  get input(): Writable {
    return this.#input;
  }

  hear({ stdout, stderr, closed }: WireListener): void {
    const demux = new Demux(stdout, stderr);
    this.#stream.on('data', (chunk: Buffer) => demux.push(chunk));
    this.#stream.on('error', (error: Error) => closed(error));
    this.#stream.on('close', () => closed(null));
    this.#stream.on('end', () => closed(null));
  }

  /** Sends by that way from here on. What ends it ends the attached stream too, which tells. */
  shorten(input: Writable | null): void {
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
