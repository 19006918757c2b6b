// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import { requestWithout } from '../redaction/call-secrets.ts';
import type { Call, RunContext } from '../runners/runner.ts';
import { CallGate } from './call-gate.ts';
import type { EgressPorts } from './ports.ts';

/** Opens the way out for attempts. */
export class EgressGate {
  readonly #ports: EgressPorts;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(ports: EgressPorts, now: () => number) {
    this.#ports = ports;
    this.#now = now;
  }

  /** The way out of one attempt, as narrow as its call. To be closed when the attempt ends. */
  open({ net, limits, values }: Pick<Call, 'net' | 'limits' | 'values'>, context: RunContext): CallGate {
    return new CallGate({
      net, bytesMax: limits.egress_bytes ?? 0, requestsMax: limits.egress_requests ?? 0, ports: this.#ports, now: this.#now, signal: context.signal,
      confirm: context.confirmStanding, announce: context.announceEffectStarted, preview: context.mode === 'preview' ? context.askedFor : null,
      ...(values === undefined ? {} : { told: (request: EgressRequest) => requestWithout(values, request) }),
    });
  }
}
