// SPDX-License-Identifier: Apache-2.0
import { ApiClient } from './api-client.ts';
import type { Call, CallOptions } from './calls.ts';
import type { OwnFunction } from './functions.ts';
import { openTransport } from './open-transport.ts';
import { Calls } from './propose.ts';
import type { RequestOptions } from './options.ts';
import { runOwn } from './run-function.ts';
import type { Platform } from './transport.ts';
import type { WritOptions } from './writ-options.ts';

/** A client of Writ with one key. Each group of the API's routes is a member, such as `agents` and `workspaces`. */
export class Writ extends ApiClient {
  readonly #calls: Calls;
  readonly #platform: Platform;

  /** @throws UsageError for a missing address or key */
  constructor(options: WritOptions) {
    super(options);
    const transport = openTransport(options);
    this.#calls = new Calls(transport);
    this.#platform = transport.platform;
  }

  /**
   * Proposes a call and waits for its end, up to `waitMs`. A refusal is an outcome and no error. Every attempt has the
   * same idempotency key, so the call happens once.
   *
   * @throws ProblemError, ConnectionError, TimeoutError where there is no outcome
   */
  call(toolId: string, args: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<Call> {
    return this.#calls.propose(toolId, args, options);
  }

  /**
   * Makes a call of a function that this process runs itself, declared with `mode: caller`. It runs where the call is
   * admitted, and nowhere else: a refused or held call is returned as it is. Resume a held one with `resume`.
   */
  async perform(
    toolId: string,
    args: Readonly<Record<string, unknown>>,
    run: OwnFunction,
    options: CallOptions = {},
  ): Promise<Call> {
    return await this.#run(await this.call(toolId, args, options), run, options);
  }

  /**
   * Goes on with a call of `perform` by its operation alone, also in another process: where a person has approved it,
   * the function runs. Otherwise the call is returned as it is now.
   */
  async resume(operationId: string, run: OwnFunction, options: Pick<RequestOptions, 'signal'> = {}): Promise<Call> {
    return await this.#run(await this.#calls.read(operationId, options), run, options);
  }

  async #run(call: Call, run: OwnFunction, { signal }: Pick<RequestOptions, 'signal'>): Promise<Call> {
    if (call.outcome !== 'running' || call.awaits !== 'caller') return call;
    await runOwn({ permits: this.permits, platform: this.#platform }, call.operationId, run, { signal });
    return await this.#calls.read(call.operationId, {});
  }
}
