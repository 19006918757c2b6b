// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { dialDirectly, dialThrough, type Outbound } from '@writ/nest-kit';
import type { EgressPorts } from './egress-ports.ts';

/** This machine's resolver and network, or the proxy between this machine and the internet. */
export function systemEgress({ proxyFor, proxyResolves }: Outbound): EgressPorts {
  return {
    resolve: async (host) => {
      if (proxyResolves && proxyFor(host) !== null) return null;
      // The trailing dot makes the name absolute: no search list of this machine is applied.
      return (await lookup(`${host}.`, { all: true, verbatim: true })).map(({ address }) => address);
    },
    dial: async (to, signal) => {
      const proxy = proxyFor(to.host);
      return proxy === null ? await dialDirectly(to, signal) : await dialThrough(proxy, to, signal);
    },
  };
}
