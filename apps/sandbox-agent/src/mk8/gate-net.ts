// SPDX-License-Identifier: Apache-2.0
//
// The network of a script, in a container without one: every request goes to the proxy on its loopback, and from there
// to the gate of the call, which resolves, judges and pins. INVARIANT (the gate alone): this file connects only to the
// proxy. HTTP and TLS modules are loaded on first use: most scripts don't connect, and these modules are half of the
// code to load.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import {
  HostNet,
  UnreachableError,
  type CertificateFacts,
  type Destination,
  type HttpAnswer,
  type HttpRequest,
} from '@writ/mk8-shell';
import { gateMessage, isUnreachable, openTunnel, withDeadline, type Deadline } from './tunnel.ts';

/** Statuses of the gate's own answers, whose body begins with `writ: `. */
const GATE_STATUSES: ReadonlySet<number> = new Set([400, 403, 502]);

/** More than any name has addresses. */
const LOOK_UP_BYTES_MAX = 64 * 1024;

export class GateNet extends HostNet {
  readonly #proxy: URL | null;
  readonly #ca: string | undefined;

  /** @param proxy of the job; undefined where nothing may leave; `ca` is trusted instead of the public authorities */
  constructor(proxy: string | undefined, ca?: string) {
    super();
    this.#proxy = proxy === undefined || !URL.canParse(proxy) ? null : new URL(proxy);
    this.#ca = ca;
  }

  /** Resolves no names: the gate does. An IP address is returned as it is. */
  resolve(name: string): Promise<readonly string[] | null> {
    return Promise.resolve(isIP(name) === 0 ? null : [name]);
  }

  async request(httpRequest: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(httpRequest.url);
    const deadline = { timeoutMs: httpRequest.timeoutMs, signal };
    return url.protocol === 'https:'
      ? await this.#requestOverTls(httpRequest, url, deadline)
      : await this.#requestOverHttp(httpRequest, url, deadline);
  }

  /** Asks the gate itself: a request without a host, in origin form (RFC 9112 §3.2.1). */
  async lookUp(name: string, timeoutMs: number): Promise<readonly string[]> {
    if (isIP(name) !== 0) return [name];
    const { hostname, port } = this.#proxyUrl();
    const { status, body } = await exchange(
      { host: hostname, port, path: `/dns/${encodeURIComponent(name)}`, agent: false },
      { method: 'GET', headers: {}, body: null, bytesMax: LOOK_UP_BYTES_MAX },
      'writ',
      { timeoutMs },
    );
    const text = Buffer.from(body).toString('utf8');
    if (status !== 200) throw new Error(gateMessage(text) || `the gate answered ${status}`);
    return text.split('\n').filter((line) => isIP(line) !== 0);
  }

  async connect({ name }: Destination, port: number, timeoutMs: number): Promise<number> {
    const began = performance.now();
    try {
      (await openTunnel(this.#proxyUrl(), name, port, { timeoutMs })).destroy();
    } catch (error) {
      if (error instanceof Error && isUnreachable(error)) throw new UnreachableError(error.message, { cause: error });
      throw error;
    }
    return performance.now() - began;
  }

  async certificate({ name }: Destination, port: number, timeoutMs: number): Promise<CertificateFacts> {
    const socket = await this.#tls(name, port, { timeoutMs }, 'any');
    try {
      return factsOf(socket.getPeerCertificate(true), socket.authorized);
    } finally {
      socket.destroy();
    }
  }

  #proxyUrl(): URL {
    if (this.#proxy === null) throw new Error('this sandbox has no network access');
    return this.#proxy;
  }

  async #requestOverHttp(httpRequest: HttpRequest, url: URL, deadline: Deadline): Promise<HttpAnswer> {
    const { hostname, port } = this.#proxyUrl();
    const answer = await exchange(
      { host: hostname, port, path: url.href, agent: false },
      httpRequest,
      url.host,
      deadline,
    );
    const gateText = GATE_STATUSES.has(answer.status) ? Buffer.from(answer.body).toString('utf8') : '';
    if (gateText.startsWith('writ: ')) throw new Error(gateMessage(gateText));
    return answer;
  }

  async #requestOverTls(httpRequest: HttpRequest, url: URL, deadline: Deadline): Promise<HttpAnswer> {
    const socket = await this.#tls(url.hostname, url.port === '' ? 443 : Number(url.port), deadline, 'http');
    try {
      return await exchange(
        { createConnection: () => socket, path: `${url.pathname}${url.search}` },
        httpRequest,
        url.host,
        deadline,
      );
    } finally {
      socket.destroy();
    }
  }

  /** @param use `http`: the server must be trusted, and speak HTTP; `any`: only its certificate is looked at */
  async #tls(name: string, port: number, deadline: Deadline, use: 'http' | 'any'): Promise<TLSSocket> {
    const { connect: connectTls } = await import('node:tls');
    const tunnel = await openTunnel(this.#proxyUrl(), name, port, deadline);
    const host = name.replace(/^\[(.*)\]$/, '$1');
    const socket = connectTls({
      socket: tunnel,
      host,
      rejectUnauthorized: use === 'http',
      ...(use === 'http' ? { ALPNProtocols: ['http/1.1'] } : {}),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    });
    return await withDeadline(
      deadline,
      (error) => {
        socket.destroy(error);
      },
      () =>
        new Promise((resolve, reject) => {
          socket.once('secureConnect', () => {
            resolve(socket);
          });
          socket.once('error', (error) => {
            reject(new Error(`no TLS with \`${name}\`: ${error.message}`, { cause: error }));
          });
        }),
    );
  }
}

/** Sends one request and returns its answer. Redirects are not followed. */
async function exchange(
  connection: RequestOptions,
  { method, headers, body, bytesMax }: Pick<HttpRequest, 'method' | 'headers' | 'body' | 'bytesMax'>,
  host: string,
  deadline: Deadline,
): Promise<HttpAnswer> {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const { request } = await import('node:http');
  const sent = request({
    ...connection,
    method,
    headers: {
      host,
      'user-agent': 'mk8.shell',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      ...length,
      ...headers,
    },
  });
  return await withDeadline(
    deadline,
    (error) => {
      sent.destroy(error);
    },
    async () => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('error', reject);
        sent.end(body ?? undefined);
      });
      return { status: answer.statusCode ?? 0, headers: textHeaders(answer), ...(await bodyOf(answer, bytesMax)) };
    },
  );
}

const textHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );

async function bodyOf(answer: IncomingMessage, bytesMax: number): Promise<Pick<HttpAnswer, 'body' | 'isCut'>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > bytesMax) break;
  }
  return { body: Buffer.concat(parts).subarray(0, bytesMax), isCut: length > bytesMax };
}

const nameOf = (fields: unknown): string =>
  typeof fields === 'object' && fields !== null
    ? Object.entries(fields)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(', ')
    : '';

function factsOf(certificate: DetailedPeerCertificate, isTrusted: boolean): CertificateFacts {
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    validFromMs: Date.parse(certificate.valid_from),
    validToMs: Date.parse(certificate.valid_to),
    fingerprint256: certificate.fingerprint256,
    names: (certificate.subjectaltname ?? '').split(', ').filter((name) => name !== ''),
    isTrusted,
  };
}
