// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { BusHeaders, ServeOptions } from './bus.ts';
import { parseDeadline, verifyTimeLeft } from './deadline.ts';
import { encodeFault, encodeOk, parsePayload } from './envelope.ts';
import type { TraceHooks } from './trace-hooks.ts';
import { InFlight } from './in-flight.ts';

/** The dependencies of a bus. */
export interface BusDependencies {
  /** Reads epoch milliseconds. */
  readonly now: () => number;
  readonly trace: TraceHooks;
  /** Receives the bugs: an error of a handler that isn't a Fault, and every error of a handler of events. */
  readonly report: (error: unknown) => void;
}

/** Handles a request from its bytes to the bytes of its answer. Every transport shares it. */
export class RequestServer {
  readonly #options: ServeOptions;
  readonly #dependencies: BusDependencies;
  readonly #inFlight = new InFlight();

  constructor(options: ServeOptions, surroundings: BusDependencies) {
    this.#options = options;
    this.#dependencies = surroundings;
  }

  /** Answers one request. Always resolves, to an encoded `{ok}` or `{fault}`. */
  async answer(subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<Uint8Array> {
    // Checked before the payload is parsed, so that a flood costs little.
    if (this.#inFlight.count >= this.#options.concurrencyMax) return encodeFault(new Fault('overloaded'));
    try {
      const value = await this.#inFlight.run(() => this.#handle(subject, bytes, headers));
      return encodeOk(value);
    } catch (error) {
      if (!(error instanceof Fault)) this.#dependencies.report(error);
      return encodeFault(error);
    }
  }

  /** Resolves when no handler runs. */
  idle(): Promise<void> {
    return this.#inFlight.whenIdle();
  }

  async #handle(subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<unknown> {
    const deadline = parseDeadline(headers);
    if (deadline !== null) verifyTimeLeft(deadline, this.#dependencies.now());
    const payload = parsePayload(bytes);
    return this.#dependencies.trace.extract(headers, () =>
      this.#options.handler({ subject, payload, headers, deadline }),
    );
  }
}
