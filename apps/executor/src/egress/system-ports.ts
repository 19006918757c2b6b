// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialThrough, type Outbound } from '@writ/nest-kit';
import type { Dialled, EgressPorts } from './ports.ts';

/** This machine's resolver and network, or the proxy that is between it and the world. */
export function systemEgress({ proxyFor, proxyResolves }: Outbound): EgressPorts {
  return {
    resolve: async (host) => {
      if (proxyResolves && proxyFor(host) !== null) return null;
      // With its dot the name is whole: no search list of this machine makes it another one.
      return (await lookup(`${host}.`, { all: true, verbatim: true })).map(({ address }) => address);
    },
    dial: async (to, signal) => {
      const proxy = proxyFor(to.host);
      return proxy === null ? await dialDirectly(to, signal) : await dialThrough(proxy, to, signal);
    },
  };
}

async function dialDirectly({ address, port, tlsHost }: Dialled, signal: AbortSignal): Promise<Socket> {
  if (address === null) throw new Error('nothing is dialled directly by its name');
  if (tlsHost === null) return await connected(connect({ host: address, port, noDelay: true }), 'connect', signal);
  // An address has no name to greet with, and its certificate is compared with it as the host.
  const name = isIP(tlsHost) === 0 ? { servername: tlsHost } : {};
  const socket = connectTls({ host: address, port, ...name, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
  return await connected(socket, 'secureConnect', signal);
}

/** The socket, once it stands; destroyed where it doesn't before the signal. After that it is its owner's. */
export async function connected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}
