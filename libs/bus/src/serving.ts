// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { BusHeaders, ServeOptions } from './bus.ts';
import { parseDeadline, verifyTimeLeft } from './deadline.ts';
import { encodeFault, encodeOk, parsePayload } from './envelope.ts';
import type { TraceHooks } from './trace-hooks.ts';
import { UnderWay } from './under-way.ts';

/** What a bus is given to do its work with. */
export interface Surroundings {
  /** Reads epoch milliseconds. */
  readonly now: () => number;
  readonly trace: TraceHooks;
  /** Told the bugs: what a handler threw that isn't a Fault, and every error of a handler that nobody waits for. */
  readonly report: (error: unknown) => void;
}

/** What happens between the arrival of a request's bytes and the bytes of its answer, alike on every transport. */
export class Serving {
  readonly #options: ServeOptions;
  readonly #with: Surroundings;
  readonly #underWay = new UnderWay();

  constructor(options: ServeOptions, surroundings: Surroundings) {
    this.#options = options;
    this.#with = surroundings;
  }

  /** Answers one request: always resolves, to an encoded `{ok}` or `{fault}`. */
  async answer(subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<Uint8Array> {
    // Checked before the payload is parsed: a flood costs as little as it can.
    if (this.#underWay.count >= this.#options.concurrencyMax) return encodeFault(new Fault('overloaded'));
    try {
      const value = await this.#underWay.run(() => this.#handle(subject, bytes, headers));
      return encodeOk(value);
    } catch (error) {
      if (!(error instanceof Fault)) this.#with.report(error);
      return encodeFault(error);
    }
  }

  /** Resolves when no handler is under way. */
  idle(): Promise<void> {
    return this.#underWay.idle();
  }

  async #handle(subject: string, bytes: Uint8Array, headers: BusHeaders): Promise<unknown> {
    const deadline = parseDeadline(headers);
    if (deadline !== null) verifyTimeLeft(deadline, this.#with.now());
    const payload = parsePayload(bytes);
    return this.#with.trace.extract(headers, () => this.#options.handler({ subject, payload, headers, deadline }));
  }
}
