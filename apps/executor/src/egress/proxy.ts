// SPDX-License-Identifier: Apache-2.0
/**
 * What a sandbox's proxy says comes here as it was written: attacker-controlled. An HTTP parser of Node reads it,
 * strictly; `libs/egress` judges the head; the gate decides; and what leaves is written anew. One request a connection,
 * so that what follows one is never read as another.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseAuthority, parseRequestHead, TargetError, TUNNEL } from '@writ/egress';
import type { CallGate } from './call-gate.ts';
import { exchange } from './exchange.ts';
import { GateRefusal } from './gate-error.ts';

const HEAD_BYTES_MAX = 32 * 1024;
/** A head that takes longer isn't typed by any program. */
const HEAD_MS_MAX = 10_000;
/** Of the connection, and not of the answer. */
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
      // A connection that only breaks asked for nothing; nor does what follows a request.
      if (error.code?.startsWith('HPE_') === true && this.#heads.has(socket)) this.#garbled(socket);
      else socket.destroy();
    });
  }

  /** Takes over a connection; it ends with the gate at the latest. */
  serve(connection: Duplex): void {
    connection.on('error', () => undefined);
    const timer = setTimeout(() => this.#garbled(connection), HEAD_MS_MAX);
    this.#heads.set(connection, timer);
    connection.once('close', () => clearTimeout(timer));
    this.#server.emit('connection', connection);
  }

  /** The head of a request is there. */
  #headOf(connection: Duplex): void {
    clearTimeout(this.#heads.get(connection));
    this.#heads.delete(connection);
  }

  /** Something that is no HTTP, or never became any. */
  #garbled(socket: Duplex): void {
    this.#gate.refuse('?', '?', 'it was no HTTP request');
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#headOf(request.socket);
    response.shouldKeepAlive = false;
    try {
      const { method, target, headers } = parseRequestHead({
        method: request.method ?? '',
        url: request.url ?? '',
        rawHeaders: request.rawHeaders,
      });
      const passage = await this.#gate.admit(method, target, '');
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
    this.#headOf(socket);
    try {
      const target = parseAuthority(request.url ?? '');
      verifyTunnelHost(request, target.host);
      const { connection, listed } = await this.#gate.admit(TUNNEL, target, '');
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

  /** Says no in words that a person at a terminal understands. */
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

/** Headers of an answer, without those of its connection. */
function forwarded({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!HOP_HEADERS.has(name.toLowerCase())) kept.push(name, value);
  }
  return [...kept, 'connection', 'close'];
}

function verifyTunnelHost({ rawHeaders }: IncomingMessage, host: string): void {
  const hosts = rawHeaders
    .filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
    .map((value) => value.toLowerCase());
  if (hosts.length > 1 || (hosts[0] !== undefined && ![host, `${host}:443`].includes(hosts[0])))
    throw new TargetError('the tunnel and its `Host` are two places');
}
