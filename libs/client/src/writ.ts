// SPDX-License-Identifier: Apache-2.0
import type { Approvals } from './approvals.ts';
import type { Call, CallOptions } from './calls.ts';
import { UsageError } from './errors.ts';
import { ApiGroups, type ApprovalsApi } from './generated/api-groups.ts';
import type { OwnFunction } from './functions.ts';
import { approvalsOf } from './follow-approvals.ts';
import { methodsOf } from './bind-groups.ts';
import { addressOf } from './paths.ts';
import { platformOf } from './platform.ts';
import { Calls } from './propose.ts';
import { ROUTES } from './generated/routes.ts';
import type { RequestOptions } from './options.ts';
import { runOwn } from './run-function.ts';
import { Transport, type Platform } from './transport.ts';

/** Settings of a client. */
export interface WritOptions extends Pick<RequestOptions, 'timeoutMs' | 'retries' | 'headers'> {
  /** the address of the API, such as `http://127.0.0.1:7480` */
  readonly url: string | undefined;
  /** an API key or an access token; null for the routes that need none */
  readonly apiKey: string | null | undefined;
  /** instead of the platform's `fetch`, for example to go through a proxy */
  readonly fetch?: (url: string, init: never) => Promise<unknown>;
}

/** A client of Writ with one key. Each group of the API's routes is a member, such as `agents` and `workspaces`. */
export class Writ extends ApiGroups {
  override readonly approvals: Approvals;
  readonly #calls: Calls;
  readonly #platform: Platform;

  /** @throws UsageError for a missing address or key */
  constructor({ url, apiKey, fetch, ...defaults }: WritOptions) {
    if (apiKey === undefined || apiKey === '')
      throw new UsageError('`apiKey` is missing: pass an API key, or null for the routes that need none');
    const platform = platformOf(fetch);
    const transport = new Transport(addressOf(url), apiKey, platform, defaults);
    super((group) => methodsOf(ROUTES[group], transport));
    const approvals = methodsOf(ROUTES.approvals, transport) as unknown as ApprovalsApi;
    this.approvals = approvalsOf({ approvals, events: this.events, platform });
    this.#calls = new Calls(transport);
    this.#platform = platform;
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
