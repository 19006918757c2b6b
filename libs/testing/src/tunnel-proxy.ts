// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** An HTTP proxy of one test, on loopback, that supports tunnels only. */
export interface TunnelProxy {
  readonly url: URL;
  /** `host:port` of each requested tunnel, in order, refused ones included */
  readonly requested: string[];
  stop(): Promise<void>;
}

export interface TunnelProxyOptions {
  /** the loopback port that a tunnel to `host:port` leads to; null: it is refused with 403 */
  readonly leadsTo: (authority: string) => number | null;
  /** `user:password`, which each request must bring; absent: none is needed */
  readonly credentials?: string;
}

/** Starts one. It resolves no name and connects to loopback only, whatever the request names. */
export async function startTunnelProxy({ leadsTo, credentials }: TunnelProxyOptions): Promise<TunnelProxy> {
  const requested: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    requested.push(url);
    const expected = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (headers['proxy-authorization'] !== expected)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const port = leadsTo(url);
    if (port === null) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
    client.once('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const login = credentials === undefined ? '' : `${credentials}@`;
  return {
    url: new URL(`http://${login}127.0.0.1:${String((server.address() as AddressInfo).port)}`),
    requested,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
