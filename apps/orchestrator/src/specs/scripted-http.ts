// SPDX-License-Identifier: Apache-2.0
// An HTTP server on loopback whose next answers a spec may replace by others, also by wrong ones.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer instead of the usual one. `silent`: none; `malformed`: bytes that are no HTTP. */
export type OddAnswer =
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string; readonly location?: string }
  | 'silent'
  | 'malformed';

/** Opens it. `respond` gives the usual answers. */
export async function openScriptedHttp(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const failures: OddAnswer[] = [];
  /** the paths that were asked for */
  const paths: string[] = [];

  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    paths.push(request.url ?? '');
    const odd = failures.shift();
    if (odd === undefined) return respond(request, response, body);
    if (odd === 'silent') return;
    if (odd === 'malformed') return void response.socket?.end('this is no answer of HTTP\r\n\r\n');
    const { status, retryAfter, location } = odd;
    response.writeHead(status, {
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      ...(location === undefined ? {} : { location }),
    });
    response.end(odd.body ?? '');
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ failures, paths, port },
    place: `127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
export type ScriptedHttp = Awaited<ReturnType<typeof openScriptedHttp>>;
