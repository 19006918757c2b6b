// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialThrough, type Outbound } from '@writ/nest-kit';
import type { DialTarget, EgressPorts } from './egress-ports.ts';

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

async function dialDirectly({ address, port, tlsHost, raw }: DialTarget, signal: AbortSignal): Promise<Socket> {
  if (address === null) throw new Error('nothing is dialled directly by its name');
  if (tlsHost === null) return await awaitConnected(connect({ host: address, port, noDelay: true }), 'connect', signal);
  // An IP address is not sent as SNI, and the certificate is compared with the address as host.
  const name = isIP(tlsHost) === 0 ? { servername: tlsHost } : {};
  const protocols = raw === true ? {} : { ALPNProtocols: ['http/1.1'] };
  const socket = connectTls({ host: address, port, ...name, ...protocols, rejectUnauthorized: true });
  return await awaitConnected(socket, 'secureConnect', signal);
}

/**
 * Resolves with the socket once it is connected. Destroys the socket if that fails or the signal aborts first.
 * Afterwards the caller owns it.
 */
export async function awaitConnected(
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
