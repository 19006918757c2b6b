// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface LocalServer {
  readonly url: string;
  readonly asked: Asked[];
  readonly close: () => Promise<void>;
}

/** A JSON server on loopback with a test's answers, which records its requests. */
export async function localServer(answer: (asked: Asked) => { status?: number; body: unknown }): Promise<LocalServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: body === '' ? null : (JSON.parse(body) as unknown),
      };
      asked.push(one);
      const { status = 200, body: said } = answer(one);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(said));
    });
  });
  // A test that fails before it closes the server must not keep the process alive.
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
