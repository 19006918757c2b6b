// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import { requestWithout } from '../redaction/redacted-request.ts';
import type { Call, RunContext } from '../calls/runner.ts';
import { CallGate } from './call-gate.ts';
import { UNWATCHED, type GateWatch } from './gate-watch.ts';
import type { EgressPorts } from './ports.ts';

/** Opens the way out for attempts. */
export class EgressGate {
  readonly #ports: EgressPorts;
  readonly #now: () => number;
  readonly #searchHosts: readonly string[];
  readonly #watch: GateWatch;

  /**
   * @param now a monotonic clock, in milliseconds
   * @param searchHosts hosts of search providers that may be inside: whoever runs the platform names them, and no
   * tenant
   * @param watch told what passes; nobody unless given
   */
  constructor(
    ports: EgressPorts,
    now: () => number,
    searchHosts: readonly string[] = [],
    watch: GateWatch = UNWATCHED,
  ) {
    this.#ports = ports;
    this.#now = now;
    this.#searchHosts = searchHosts;
    this.#watch = watch;
  }

  /** The way out of one attempt, as narrow as its call. To be closed when the attempt ends. */
  open(
    { net, limits, values, provider = null }: Pick<Call, 'net' | 'limits' | 'values'> & Partial<Pick<Call, 'provider'>>,
    context: RunContext,
  ): CallGate {
    return new CallGate({
      // Only for a search, whose one request is the provider's: no other call reaches such a host.
      net,
      insideHosts: provider === null ? [] : this.#searchHosts,
      watch: this.#watch,
      bytesMax: limits.egress_bytes ?? 0,
      requestsMax: limits.egress_requests ?? 0,
      ports: this.#ports,
      now: this.#now,
      signal: context.signal,
      confirm: context.confirmStanding,
      announce: context.announceEffectStarted,
      preview: context.mode === 'preview' ? context.askedFor : null,
      ...(values === undefined ? {} : { told: (request: EgressRequest) => requestWithout(values, request) }),
    });
  }
}
