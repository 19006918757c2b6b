// SPDX-License-Identifier: Apache-2.0
import Docker from 'dockerode';

/** A client of the engine at an address: `unix:///path`, or `tcp://host:port`. */
export function dockerOf(host: string): Docker {
  if (host.startsWith('unix://')) return new Docker({ socketPath: host.slice('unix://'.length) });
  const url = new URL(host.replace(/^tcp:/, 'http:'));
  return new Docker({
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    host: url.hostname,
    port: url.port || '2375',
  });
}
