// SPDX-License-Identifier: Apache-2.0
import { touchesOf } from '@writ/agent-loop';
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { runInOrder, type Step } from './in-order.ts';
import type { ParsedCall } from './parsed-call.ts';
import type { WaitOptions, Propose } from './propose.ts';

/** What became of a call: its operation as it stands, or a fault of the call itself, which nobody decided. */
export type Ran =
  { readonly kind: 'proposed'; readonly view: OperationView } | { readonly kind: 'unfit'; readonly fault: Fault };

/** Faults that say something of a call and nothing of us: asking again gets the same. */
const UNFIT: ReadonlySet<string> = new Set(['args.too_large', 'request.malformed']);

/**
 * Several calls that a model asked for together, as far as they come. Each is proposed like any other; this keeps their
 * order alone. Callers SHOULD give each an idempotency key of its place, so that asking again goes on where this ended
 * and runs nothing twice.
 */
export class ProposeInOrder {
  readonly #propose: Pick<Propose, 'run'>;
  readonly #monotonic: () => number;

  constructor(propose: Pick<Propose, 'run'>, monotonic: () => number) {
    this.#propose = propose;
    this.#monotonic = monotonic;
  }

  /**
   * What became of each call, in their order; null for one that waits behind another which is held or under way.
   * `waitOptions.waitMs` is for all of them.
   */
  async run(
    caller: Caller,
    calls: readonly ParsedCall[],
    order: 'sequence' | 'disjoint',
    waitOptions: WaitOptions,
  ): Promise<(Ran | null)[]> {
    const steps = calls.map((call): Step<Ran> => ({
      touches: touchesOf(call),
      begin: async (waitMs) => {
        const came = await this.one(caller, call, { ...waitOptions, waitMs });
        return { came, isOver: came.kind === 'unfit' || isFinal(came.view.state) };
      },
    }));
    return await this.steps(steps, order, waitOptions);
  }

  /** As `run`, for steps that are more than one call. */
  async steps<T>(
    steps: readonly Step<T>[],
    order: 'sequence' | 'disjoint',
    waitOptions: WaitOptions,
  ): Promise<(T | null)[]> {
    return await runInOrder(steps, { ...waitOptions, order, monotonic: this.#monotonic });
  }

  /** One call. */
  async one(caller: Caller, call: ParsedCall, waitOptions: WaitOptions): Promise<Ran> {
    try {
      return { kind: 'proposed', view: await this.#propose.run(caller, newId('operation'), call, waitOptions) };
    } catch (error) {
      if (error instanceof Fault && UNFIT.has(error.code)) return { kind: 'unfit', fault: error };
      throw error;
    }
  }
}
