// SPDX-License-Identifier: Apache-2.0
import { touchesOf } from '@writ/agent-loop';
import { Fault, isFinal, type Caller, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { runInOrder, type Step } from './in-order.ts';
import type { ParsedCall } from './parsed-call.ts';
import type { WaitOptions, Propose } from './propose.ts';

/**
 * The result of a proposal: the operation's current view, or a fault of the call itself, which the kernel did not
 * decide.
 */
export type ProposalResult =
  { readonly kind: 'proposed'; readonly view: OperationView } | { readonly kind: 'unfit'; readonly fault: Fault };

/** Faults that the call itself causes: a retry gets the same. */
const CALL_FAULTS: ReadonlySet<string> = new Set(['args.too_large', 'request.malformed']);

/**
 * Proposes several calls that a model requested together. Each is proposed like any other call; this class only keeps
 * their order. Callers SHOULD give each call an idempotency key made of its position, so that a repetition continues
 * where this one ended and runs nothing twice.
 */
export class ProposeInOrder {
  readonly #propose: Pick<Propose, 'run'>;
  readonly #monotonic: () => number;

  constructor(propose: Pick<Propose, 'run'>, monotonic: () => number) {
    this.#propose = propose;
    this.#monotonic = monotonic;
  }

  /**
   * The result of each call, in their order; null for a call that waits behind a held or running one.
   * `waitOptions.waitMs` is for all calls together.
   */
  async run(
    caller: Caller,
    calls: readonly ParsedCall[],
    order: 'sequence' | 'disjoint',
    waitOptions: WaitOptions,
  ): Promise<(ProposalResult | null)[]> {
    const steps = calls.map((call): Step<ProposalResult> => ({
      touches: touchesOf(call),
      begin: async (waitMs) => {
        const result = await this.proposeOne(caller, call, { ...waitOptions, waitMs });
        return { result, isOver: result.kind === 'unfit' || isFinal(result.view.state) };
      },
    }));
    return await this.runSteps(steps, order, waitOptions);
  }

  /** As `run`, for steps that may consist of several calls. */
  async runSteps<T>(
    steps: readonly Step<T>[],
    order: 'sequence' | 'disjoint',
    waitOptions: WaitOptions,
  ): Promise<(T | null)[]> {
    return await runInOrder(steps, { ...waitOptions, order, monotonic: this.#monotonic });
  }

  /** One call. */
  async proposeOne(caller: Caller, call: ParsedCall, waitOptions: WaitOptions): Promise<ProposalResult> {
    try {
      return { kind: 'proposed', view: await this.#propose.run(caller, newId('operation'), call, waitOptions) };
    } catch (error) {
      if (error instanceof Fault && CALL_FAULTS.has(error.code)) return { kind: 'unfit', fault: error };
      throw error;
    }
  }
}
