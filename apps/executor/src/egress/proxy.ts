// SPDX-License-Identifier: Apache-2.0
/**
 * The bytes of a sandbox's proxy arrive unchanged and are attacker-controlled. An HTTP parser of Node reads them
 * strictly, `libs/egress` judges the head, and the gate decides. The proxy writes each outgoing request anew. It serves
 * one request per connection, so that bytes after it are never read as another request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TUNNEL } from '@writ/contract';
import { authorityOf, parseAuthority, parseRequestHead, TargetError, type EgressTarget } from '@writ/egress';
import type { AdmittedRequest } from './admitted-request.ts';
import type { CallGate } from './call-gate.ts';
import { exchange } from './exchange.ts';
import { GateRefusal } from './gate-refusal.ts';

const HEAD_BYTES_MAX = 32 * 1024;
/** No program takes longer to send a head. */
const HEAD_MS_MAX = 10_000;
/** Headers of the connection, not of the answer (hop-by-hop). */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'te',
]);

/** Serves connections of one sandbox through the gate of its call. */
export class Proxy {
  readonly #gate: CallGate;
  readonly #server: Server;
  readonly #heads = new WeakMap<Duplex, NodeJS.Timeout>();

  constructor(gate: CallGate) {
    this.#gate = gate;
    this.#server = createServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      insecureHTTPParser: false,
      keepAlive: false,
      requireHostHeader: false,
    });
    this.#server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void this.#forward(request, response),
    );
    this.#server.on(
      'connect',
      (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.#tunnel(request, socket, head),
    );
    this.#server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
      // A connection that only breaks made no request; nor do bytes after a request.
      if (error.code?.startsWith('HPE_') === true && this.#heads.has(socket)) this.#refuseGarbled(socket);
      else socket.destroy();
    });
  }

  /** Serves a connection; it closes with the gate at the latest. */
  serve(connection: Duplex): void {
    connection.on('error', () => undefined);
    const timer = setTimeout(() => this.#refuseGarbled(connection), HEAD_MS_MAX);
    this.#heads.set(connection, timer);
    connection.once('close', () => clearTimeout(timer));
    this.#server.emit('connection', connection);
  }

  /** Clears the timer of a connection whose head has arrived. */
  #headArrived(connection: Duplex): void {
    clearTimeout(this.#heads.get(connection));
    this.#heads.delete(connection);
  }

  /** Refuses bytes that are not HTTP, or an incomplete head. */
  #refuseGarbled(socket: Duplex): void {
    this.#gate.refuse('?', '?', 'it was no HTTP request');
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#headArrived(request.socket);
    response.shouldKeepAlive = false;
    try {
      const name = nameAsked(request);
      if (name !== null) {
        const addresses = await this.#gate.resolve(name);
        response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
        response.end(`${addresses.join('\n')}\n`);
        return;
      }
      const { method, target, headers } = parseRequestHead({
        method: request.method ?? '',
        url: request.url ?? '',
        rawHeaders: request.rawHeaders,
      });
      const passage = await this.#gate.admit(method, target, '');
      if (request.socket.destroyed) {
        abandon(passage);
        return;
      }
      const hasBody =
        request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
      const answer = await exchange(passage, { method, target, headers, body: hasBody ? request : null });
      response.writeHead(answer.statusCode ?? 502, forwarded(answer));
      await pipeline(answer, response);
      passage.connection.destroy();
    } catch (error) {
      this.#refuse(request, error, (status, text) => {
        if (response.headersSent) return void response.destroy();
        response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text);
      });
    }
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#headArrived(socket);
    try {
      const target = parseAuthority(request.url ?? '');
      verifyTunnelHost(request, target);
      const passage = await this.#gate.admit(TUNNEL, target, '');
      if (socket.destroyed) {
        abandon(passage);
        return;
      }
      const { connection, listed } = passage;
      listed.answered(200);
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) connection.write(head);
      await Promise.allSettled([pipeline(socket, connection), pipeline(connection, socket)]);
      socket.destroy();
      connection.destroy();
    } catch (error) {
      this.#refuse(request, error, (status, text) => {
        socket.end(
          `HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : 'Forbidden'}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
        );
      });
    }
  }

  /** Refuses with a message for a person at a terminal. */
  #refuse(
    { method = '?', url = '?' }: IncomingMessage,
    error: unknown,
    answer: (status: number, text: string) => void,
  ): void {
    if (error instanceof TargetError) {
      this.#gate.refuse(method, url, error.message);
      answer(400, `writ: ${error.message}\n`);
    } else if (error instanceof GateRefusal) {
      answer(
        error.code === 'egress.failed' ? 502 : 403,
        `writ: ${error.code}: ${error.message}\n${error.hint === null ? '' : `${error.hint}\n`}`,
      );
    } else answer(502, 'writ: egress.failed: the connection broke\n');
  }
}

/** Sends nothing of an admitted request whose client has gone meanwhile. */
function abandon({ connection, listed }: AdmittedRequest): void {
  connection.destroy();
  listed.failed('the client closed its connection before the request left');
}

/**
 * The name in a request to the gate itself, `GET /dns/NAME`; null for any other request. In a container only the gate
 * resolves names.
 */
const nameAsked = ({ method, url = '' }: IncomingMessage): string | null =>
  method === 'GET' ? (/^\/dns\/([^/?#]{1,253})$/.exec(url)?.[1]?.toLowerCase() ?? null) : null;

/** Headers of an answer, without its hop-by-hop headers. */
function forwarded({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!HOP_HEADERS.has(name.toLowerCase())) kept.push(name, value);
  }
  return [...kept, 'connection', 'close'];
}

function verifyTunnelHost({ rawHeaders }: IncomingMessage, target: EgressTarget): void {
  const hosts = rawHeaders
    .filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
    .map((value) => value.toLowerCase());
  if (
    hosts.length > 1 ||
    (hosts[0] !== undefined && ![authorityOf(target), `${target.host}:${target.port}`].includes(hosts[0]))
  )
    throw new TargetError('the tunnel and its `Host` are two places');
}
