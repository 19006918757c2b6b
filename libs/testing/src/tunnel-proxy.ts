// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** An HTTP proxy of a test's own, on loopback, that lets tunnels out and nothing else. */
export interface TunnelProxy {
  readonly url: URL;
  /** `host:port` of each tunnel that was asked for, in order, refused ones included */
  readonly asked: string[];
  stop(): Promise<void>;
}

export interface TunnelProxyOptions {
  /** where a tunnel to `host:port` leads: a port of loopback; null: it is refused with 403 */
  readonly leadsTo: (authority: string) => number | null;
  /** `user:password`, which each request must bring; absent: nobody is asked for any */
  readonly credentials?: string;
}

/** Starts one. It resolves no name and reaches loopback alone, whatever it is asked for. */
export async function startTunnelProxy({ leadsTo, credentials }: TunnelProxyOptions): Promise<TunnelProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  });
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push(url);
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
    asked,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
