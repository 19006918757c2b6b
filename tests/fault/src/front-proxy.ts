// SPDX-License-Identifier: Apache-2.0
//
// A server in front of the API that answers as a broken part would. All that it does not change is passed on.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServerCertificate } from '@writ/testing';
import type { JsonValue } from '@writ/stack';

export interface FrontRequest {
  readonly method: string;
  /** with its query */
  readonly path: string;
  /** the value of `Authorization` */
  readonly key: string;
  readonly body: string;
}

export interface FrontAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Buffer;
}

/** Sends a request to the API, with these members in the place of its own. */
export type Forward = (changed?: Partial<FrontRequest>) => Promise<FrontAnswer>;
export type Deceit = (request: FrontRequest, forward: Forward) => Promise<FrontAnswer>;

/** Passes everything on as it is. */
export const HONEST: Deceit = async (_request, forward) => await forward();

/** Headers of one connection, or of a body that is sent anew. */
const OWN: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'content-length', 'transfer-encoding']);

export class FrontProxy {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(url: string, server: ReturnType<typeof createServer>) {
    this.url = url;
    this.#server = server;
  }

  static async open(target: string, deceit: Deceit, tls?: ServerCertificate): Promise<FrontProxy> {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      void answerBy(target, deceit, request)
        .then(({ status, headers, bytes }) => {
          response.writeHead(status, Object.fromEntries(headers));
          response.end(bytes);
        })
        .catch((error: unknown) => response.destroy(error as Error));
    };
    const server = tls === undefined ? createServer(answer) : createHttps(tls, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new FrontProxy(`${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, server);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function answerBy(target: string, deceit: Deceit, message: IncomingMessage): Promise<FrontAnswer> {
  const request: FrontRequest = {
    method: message.method ?? '',
    path: message.url ?? '',
    key: message.headers.authorization ?? '',
    body: await text(message),
  };
  return await deceit(request, async (changed = {}) => await send(target, { ...request, ...changed }));
}

async function send(target: string, { method, path, key, body }: FrontRequest): Promise<FrontAnswer> {
  const response = await fetch(`${target}${path}`, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: key }),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
    },
    body: method === 'GET' || body === '' ? null : body,
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !OWN.has(name)),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The JSON of an answer; null where it has none. */
export function bodyOf({ bytes }: FrontAnswer): JsonValue {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return null;
  }
}

/** The same answer with another body. */
export const withBody = (answer: FrontAnswer, body: JsonValue): FrontAnswer => ({
  ...answer,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** The same answer as a success. */
export const allIsWell = ({ headers }: FrontAnswer, body: JsonValue = {}): FrontAnswer => ({
  status: 200,
  headers: [
    ...headers.filter(([name]) => !['content-type', 'etag'].includes(name)),
    ['content-type', 'application/json'],
  ],
  bytes: Buffer.from(JSON.stringify(body)),
});
