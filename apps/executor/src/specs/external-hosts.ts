// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { awaitConnected } from '@writ/nest-kit';
import { outsideTls } from '@writ/testing';
import type { DialTarget, EgressPorts } from '../egress/egress-ports.ts';

/** A public address that the tests never connect to: dialling it reaches a server of the test. */
export const PUBLIC = '93.184.216.34';

/** One request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly host: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/**
 * External hosts on this machine's loopback. INVARIANT (real rules): names resolve to public addresses, and the gate
 * judges them as usual. Only the last step, from a judged address to a socket, leads to a server of the test.
 */
export class ExternalHosts {
  readonly received: ReceivedRequest[] = [];
  readonly dials: DialTarget[] = [];
  readonly resolved: string[] = [];
  /** addresses of a name, evaluated for each request; PUBLIC by default */
  addressesOf: (host: string) => readonly string[] | Promise<readonly string[]> = () => [PUBLIC];
  /** the servers' handler, which also gets the body of the request */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_request, response) =>
    void response.end('hello from outside');
  readonly #servers = new Map<number, Server>();

  static async open(): Promise<ExternalHosts> {
    const outside = new ExternalHosts();
    const { key, cert } = outsideTls();
    const listener: RequestListener = (request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const body = Buffer.concat(parts).toString();
          const { method = '', url = '', headers, rawHeaders } = request;
          outside.received.push({ method, url, headers, rawHeaders, host: headers.host ?? '', body });
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

  /** The loopback port that serves the given external port. */
  portOf(port: number): number {
    return (this.#servers.get(port)?.address() as AddressInfo).port;
  }

  /** The server of an external port. */
  server(port: number): Server {
    const server = this.#servers.get(port);
    if (server === undefined) throw new Error(`no server of port ${port}`);
    return server;
  }

  /** Replaces one of the servers. */
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
      this.dials.push(to);
      const address = { host: '127.0.0.1', port: this.portOf(to.port) };
      if (to.tlsHost === null) return await awaitConnected(connect(address), 'connect', signal);
      return await awaitConnected(
        connectTls({ ...address, servername: to.tlsHost, ca: outsideTls().ca }),
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
