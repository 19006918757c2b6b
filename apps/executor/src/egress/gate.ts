// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import type { PrivateEndpoint } from '@writ/egress';
import { requestWithout } from '../redaction/redacted-request.ts';
import type { Call, RunContext } from '../calls/runner.ts';
import { CallGate } from './call-gate.ts';
import { UNWATCHED, type GateWatch } from './gate-watch.ts';
import type { EgressPorts } from './egress-ports.ts';

/** Opens a gate for each attempt. */
export class EgressGate {
  readonly #ports: EgressPorts;
  readonly #now: () => number;
  readonly #privateEndpoints: readonly PrivateEndpoint[];
  readonly #watch: GateWatch;

  /**
   * @param now a monotonic clock, in milliseconds
   * @param privateEndpoints endpoints of registered resources that may have private addresses; the operator names them,
   * and no tenant can
   * @param watch receives decisions and byte counts; none by default
   */
  constructor(
    ports: EgressPorts,
    now: () => number,
    privateEndpoints: readonly PrivateEndpoint[] = [],
    watch: GateWatch = UNWATCHED,
  ) {
    this.#ports = ports;
    this.#now = now;
    this.#privateEndpoints = privateEndpoints;
    this.#watch = watch;
  }

  /** The egress gate of one attempt, as narrow as its call. The caller closes it when the attempt ends. */
  open(
    { net, limits, values, resources = [] }: Pick<Call, 'net' | 'limits' | 'values'> & Partial<Pick<Call, 'resources'>>,
    context: RunContext,
  ): CallGate {
    return new CallGate({
      // Private endpoints only for a call on a registered resource, whose requests go where its settings say. An
      // administrator wrote these settings. No other call reaches such an endpoint.
      net,
      privateEndpoints: resources.length === 0 ? [] : this.#privateEndpoints,
      watch: this.#watch,
      bytesMax: limits.egress_bytes ?? 0,
      requestsMax: limits.egress_requests ?? 0,
      ports: this.#ports,
      now: this.#now,
      signal: context.signal,
      confirm: context.confirmMayContinue,
      announce: context.announceEffectStarted,
      preview: context.mode === 'preview' ? context.recordNeed : null,
      ...(values === undefined ? {} : { redact: (request: EgressRequest) => requestWithout(values, request) }),
    });
  }
}
