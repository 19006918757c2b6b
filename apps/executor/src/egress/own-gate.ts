// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';
import type { PrivateEndpoint } from '@writ/egress';
import { CallGate } from './call-gate.ts';
import type { EgressPorts } from './egress-ports.ts';

export interface OwnGateOptions {
  /** what may be reached, which no token says: the caller reads it from what an administrator or the operator wrote */
  readonly rules: Grant['net'];
  /** endpoints that may have private addresses */
  readonly privateEndpoints: readonly PrivateEndpoint[];
  readonly bytesMax: number;
  readonly requestsMax: number;
  readonly ports: EgressPorts;
  /** closes the gate, when the work that it is for ends */
  readonly signal: AbortSignal;
}

/**
 * A gate for work of the executor's own, which belongs to no call. No kernel confirms its requests, so that its signal
 * alone ends them.
 */
export function openOwnGate({ rules, ...options }: OwnGateOptions): CallGate {
  return new CallGate({
    ...options,
    net: [rules],
    // No confirmation grows old.
    now: () => 0,
    confirm: () => Promise.resolve(),
    announce: () => Promise.resolve(),
    preview: null,
  });
}
