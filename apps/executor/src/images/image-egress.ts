// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { TUNNEL } from '@writ/contract';
import { parsePrivateEndpoints } from '@writ/egress';
import type { SandboxEgress } from '@writ/sandbox';
import { CallGate } from '../egress/call-gate.ts';
import type { EgressPorts } from '../egress/egress-ports.ts';
import { Proxy } from '../egress/proxy.ts';

/** A recipe of 64 large packages and what they depend on. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024;
const REQUESTS_MAX = 20_000;

/**
 * The only way out of a build: to the registries that the operator configured, and only to read. They may have private
 * addresses, since the operator named them.
 */
export function imageEgress(
  ports: EgressPorts,
  hosts: readonly string[],
  now: () => number,
  signal: AbortSignal,
): SandboxEgress {
  const endpoints = parsePrivateEndpoints(hosts.join(','));
  const gate = new CallGate({
    net: [
      endpoints.map(({ host: domain, port }) => ({
        domain,
        methods: ['GET', 'HEAD', TUNNEL],
        ...(port === null ? {} : { ports: [port] }),
      })),
    ],
    privateEndpoints: endpoints,
    bytesMax: BYTES_MAX,
    requestsMax: REQUESTS_MAX,
    ports,
    now,
    signal,
    // The build's claim is renewed elsewhere, and its signal closes the gate.
    confirm: () => Promise.resolve(),
    announce: () => Promise.resolve(),
    preview: null,
  });
  const proxy = new Proxy(gate);
  return { serve: (connection: Duplex) => proxy.serve(connection) };
}
