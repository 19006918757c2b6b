// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { TUNNEL } from '@writ/contract';
import { parsePrivateEndpoints } from '@writ/egress';
import type { SandboxEgress } from '@writ/sandbox';
import type { EgressPorts } from '../egress/egress-ports.ts';
import { openOwnGate } from '../egress/own-gate.ts';
import { Proxy } from '../egress/proxy.ts';

/** A recipe of 64 large packages and what they depend on. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024;
const REQUESTS_MAX = 20_000;

/**
 * The only way out of a build: to the registries that the operator configured, and only to read. They may have private
 * addresses, since the operator named them.
 */
export function imageEgress(ports: EgressPorts, hosts: readonly string[], signal: AbortSignal): SandboxEgress {
  const privateEndpoints = parsePrivateEndpoints(hosts.join(','));
  const gate = openOwnGate({
    rules: privateEndpoints.map(({ host: domain, port }) => ({
      domain,
      methods: ['GET', 'HEAD', TUNNEL],
      ...(port === null ? {} : { ports: [port] }),
    })),
    privateEndpoints,
    bytesMax: BYTES_MAX,
    requestsMax: REQUESTS_MAX,
    ports,
    signal,
  });
  const proxy = new Proxy(gate);
  return { serve: (connection: Duplex) => proxy.serve(connection) };
}
