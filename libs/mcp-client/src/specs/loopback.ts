// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RequestRelay, type RelayedRequest, type RelayOptions } from '../request-relay.ts';

/** One request as a server received it. */
export interface Received {
  readonly httpMethod: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** the method of JSON-RPC; empty for an answer and for a request without a body */
  readonly method: string;
  readonly id: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Handler = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

/** A server of HTTP on loopback, which records what it receives. */
export class Loopback {
  readonly received: Received[] = [];
  readonly #server: Server;

  private constructor(handle: Handler) {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request
        .on('error', () => undefined)
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          const body = Buffer.concat(parts).toString();
          const message = (body === '' ? {} : JSON.parse(body)) as Partial<Received>;
          const { method = '', id, params = {} } = message;
          const received = { httpMethod: request.method ?? '', headers: request.headers, body, method, id, params };
          this.received.push(received);
          void handle(received, response, request);
        });
    });
  }

  static async open(handle: Handler): Promise<Loopback> {
    const loopback = new Loopback(handle);
    loopback.#server.listen(0, '127.0.0.1');
    await once(loopback.#server, 'listening');
    return loopback;
  }

  get methods(): string[] {
    return this.received.map(({ method, httpMethod }) => (method === '' ? httpMethod : method));
  }

  /** A relay whose requests go here. */
  relay(options: Partial<RelayOptions> = {}): RequestRelay {
    return new RequestRelay({
      mayCall: true,
      onOverrun: () => undefined,
      send: (request, signal) => this.#send(request, signal),
      ...options,
    });
  }

  #send({ method, headers, body }: RelayedRequest, signal: AbortSignal): ReturnType<RelayOptions['send']> {
    return new Promise((resolve, reject) => {
      const { port } = this.#server.address() as AddressInfo;
      const own = { host: '127.0.0.1', port, path: '/mcp', method, agent: false as const, signal };
      send({ ...own, headers: Object.fromEntries(headers) })
        .on('error', reject)
        .on('response', (answer) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }))
        .end(body ?? undefined);
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close').catch(() => undefined);
  }
}
