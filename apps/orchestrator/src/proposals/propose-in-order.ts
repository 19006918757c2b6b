// SPDX-License-Identifier: Apache-2.0
import { readyOf, touchesOf, type CallStanding } from '@writ/agent-loop';
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { ParsedCall } from './parsed-call.ts';
import type { Patience, Propose } from './propose.ts';

/** What became of one call of several: its operation as it stands; a fault of the call itself, which nobody decided; or it waits behind one that hasn't ended. */
export type Ran =
  | { readonly kind: 'proposed'; readonly view: OperationView }
  | { readonly kind: 'unfit'; readonly fault: Fault }
  | { readonly kind: 'queued' };

/** Faults that say something of a call and nothing of us: asking again gets the same. */
const UNFIT: ReadonlySet<string> = new Set(['args.too_large', 'request.malformed']);
/** Calls of one answer that are proposed at once: a part of what a tenant may have under way. */
const AT_ONCE_MAX = 16;
/** How long after its wait is over calls are still begun: those that ended before are only passed over, each in milliseconds. With the longest wait it stays below a minute. */
const OVERTIME_MS = 4_000;

/**
 * Several calls that a model asked for together, as far as they come. Each is proposed like any other; this keeps their order alone.
 * Callers SHOULD give each an idempotency key of its place, so that asking again goes on where this ended and runs nothing twice.
 */
export class ProposeInOrder {
  readonly #propose: Pick<Propose, 'run'>;
  readonly #monotonic: () => number;

  constructor(propose: Pick<Propose, 'run'>, monotonic: () => number) {
    this.#propose = propose;
    this.#monotonic = monotonic;
  }

  /**
   * What became of each, in their order, when nothing more can begin: all have ended, or the rest waits behind what is held or under way. `patience.waitMs` is for all of them.
   * A fault that isn't a call's own is thrown once nothing that was begun is waited for any more.
   */
  async run(caller: Caller, calls: readonly ParsedCall[], order: 'sequence' | 'disjoint', patience: Patience): Promise<Ran[]> {
    return await new Round(this.#propose, this.#monotonic, { caller, calls, order, patience }).run();
  }
}

interface Asked { readonly caller: Caller; readonly calls: readonly ParsedCall[]; readonly order: 'sequence' | 'disjoint'; readonly patience: Patience }

class Round {
  readonly #propose: Pick<Propose, 'run'>;
  readonly #monotonic: () => number;
  readonly #asked: Asked;
  readonly #began: number;
  readonly #running = new Map<number, Promise<void>>();
  readonly #ran: Ran[];
  readonly #touches: readonly ReturnType<typeof touchesOf>[];
  #broken: { readonly error: unknown } | null = null;

  constructor(propose: Pick<Propose, 'run'>, monotonic: () => number, asked: Asked) {
    this.#propose = propose;
    this.#monotonic = monotonic;
    this.#asked = asked;
    this.#began = monotonic();
    this.#ran = asked.calls.map(() => ({ kind: 'queued' }));
    this.#touches = asked.calls.map(touchesOf);
  }

  async run(): Promise<Ran[]> {
    for (;;) {
      for (const index of this.#next()) this.#running.set(index, this.#begin(index).finally(() => this.#running.delete(index)));
      if (this.#running.size === 0) break;
      await Promise.race(this.#running.values());
    }
    if (this.#broken !== null) throw this.#broken.error;
    return this.#ran;
  }

  #next(): number[] {
    const { patience, order } = this.#asked;
    if (this.#broken !== null || patience.gone.aborted || this.#left() < -OVERTIME_MS) return [];
    return readyOf(this.#ran.map((ran, index) => this.#standing(ran, index)), order).slice(0, AT_ONCE_MAX - this.#running.size);
  }

  #standing(ran: Ran, index: number): CallStanding {
    if (ran.kind === 'unfit' || (ran.kind === 'proposed' && isFinal(ran.view.state))) return { stands: 'ended' };
    const isOpen = ran.kind === 'proposed' || this.#running.has(index);
    return { stands: isOpen ? 'open' : 'waits', touches: this.#touches[index] ?? null };
  }

  async #begin(index: number): Promise<void> {
    const call = this.#asked.calls[index];
    if (call === undefined) throw new Error(`there is no call ${index}`);
    try {
      const view = await this.#propose.run(this.#asked.caller, newId('operation'), call, { waitMs: Math.max(0, this.#left()), gone: this.#asked.patience.gone });
      this.#ran[index] = { kind: 'proposed', view };
    } catch (error) {
      if (error instanceof Fault && UNFIT.has(error.code)) this.#ran[index] = { kind: 'unfit', fault: error };
      else this.#broken ??= { error };
    }
  }

  #left(): number {
    return this.#began + this.#asked.patience.waitMs - this.#monotonic();
  }
}
