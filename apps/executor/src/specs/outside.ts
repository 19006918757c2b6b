// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { outsideTls } from '@writ/testing';
import type { Dialled, EgressPorts } from '../egress/ports.ts';
import { connected } from '../egress/system-ports.ts';

/** A public address that nothing here ever connects to: dialling it leads to a server of the test's. */
export const PUBLIC = '93.184.216.34';

/** One request as it came. */
export interface Seen {
  readonly method: string;
  readonly host: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/**
 * The world outside on this machine's loopback. INVARIANT (rules as they are): names have public addresses here, and
 * the gate judges them as any; only the last step, from an address that was judged to a socket, leads to a server of
 * the test's.
 */
export class Outside {
  readonly seen: Seen[] = [];
  readonly dialled: Dialled[] = [];
  readonly resolved: string[] = [];
  /** what names lead to, asked anew each time; all to PUBLIC unless said */
  addressesOf: (host: string) => readonly string[] | Promise<readonly string[]> = () => [PUBLIC];
  /** what the servers answer; the body of the request comes with it */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_request, response) =>
    void response.end('hello from outside');
  readonly #servers = new Map<number, Server>();

  static async open(): Promise<Outside> {
    const outside = new Outside();
    const { key, cert } = outsideTls();
    const listener: RequestListener = (request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const body = Buffer.concat(parts).toString();
          const { method = '', url = '', headers, rawHeaders } = request;
          outside.seen.push({ method, url, headers, rawHeaders, host: headers.host ?? '', body });
          outside.answer(request, response, body);
        });
    };
    for (const [port, server] of [
      [80, createHttp(listener)],
      [443, createHttps({ key, cert }, listener)],
    ] as const) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      outside.#servers.set(port, server);
    }
    return outside;
  }

  /** The port of loopback on which the world's port is played. */
  portOf(port: number): number {
    return (this.#servers.get(port)?.address() as AddressInfo).port;
  }

  /** Puts another server in the place of one of them. */
  async replace(port: number, server: Server): Promise<void> {
    this.#servers.get(port)?.close();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.set(port, server);
  }

  readonly ports: EgressPorts = {
    resolve: async (host) => {
      this.resolved.push(host);
      return await this.addressesOf(host);
    },
    dial: async (to, signal) => {
      this.dialled.push(to);
      const place = { host: '127.0.0.1', port: this.portOf(to.port) };
      if (to.tlsHost === null) return await connected(connect(place), 'connect', signal);
      return await connected(
        connectTls({ ...place, servername: to.tlsHost, ca: outsideTls().ca }),
        'secureConnect',
        signal,
      );
    },
  };

  async close(): Promise<void> {
    await Promise.all(
      [...this.#servers.values()].map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
            (server as Partial<ReturnType<typeof createHttp>>).closeAllConnections?.();
          }),
      ),
    );
  }
}
