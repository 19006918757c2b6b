// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server does with a request: an answer, or anything else with the response. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | ((response: ServerResponse) => void);

/** A real HTTP server that answers one request after another as a spec says, and keeps what arrived. */
export class TestServer implements AsyncDisposable {
  readonly arrived: Arrived[] = [];
  readonly #replies: Reply[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async open(...replies: Reply[]): Promise<TestServer> {
    const server = new TestServer();
    server.#replies.push(...replies);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    this.arrived.push({ method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') });
    const reply = this.#replies.shift() ?? { status: 500 };
    if (typeof reply === 'function') return reply(response);
    const { status, headers: more = {}, body } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...more });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  }
}

/** A problem as the API answers it. */
export const problemReply = (
  status: number,
  code: string,
  retry: 'never' | 'later' | 'same-key',
  headers: Record<string, string> = {},
): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: {
    type: `https://writ.dev/errors/${code}`,
    title: code,
    status,
    detail: 'it failed',
    code,
    retry,
    instance: 'urn:x',
  },
});
