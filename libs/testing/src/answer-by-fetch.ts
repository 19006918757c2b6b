// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** A request of Node's server whose body was read. */
export interface ReadRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** empty: the request has none */
  readonly body: string;
}

/** Answers a request of Node's server by a handler of the web's requests, and passes its answer on as it comes. */
export async function answerByFetch(
  fetch: (request: Request) => Promise<Response>,
  url: string | URL,
  { method = 'GET', headers, body }: ReadRequest,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const single = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  const sent = { method, headers: single, signal: gone.signal, ...(body === '' ? {} : { body }) };
  const answer = await fetch(new Request(url, sent));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else
    Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
      .on('error', () => response.destroy())
      .pipe(response);
}
