// SPDX-License-Identifier: Apache-2.0
//
// The network of a container that has none: everything goes to the proxy on its loopback, and from there to the gate of
// the call, which resolves, judges and pins. INVARIANT (the gate alone): nothing here opens a connection to anything
// but the proxy. HTTP and TLS are read where something connects: most scripts don't, and they are half of what there
// would be to read.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { HostNet, type CertificateFacts, type Destination, type HttpAnswer, type HttpAsked } from '@writ/mk8-shell';
import { gateWords, openTunnel, within, type Until } from './tunnel.ts';

/** Statuses of the gate's own answers, whose body begins with its name. */
const GATE_STATUSES: ReadonlySet<number> = new Set([400, 403, 502]);

export class GateNet extends HostNet {
  readonly #proxy: URL | null;
  readonly #ca: string | undefined;

  /** @param proxy of the job; undefined where nothing leaves; `ca` is trusted instead of the public authorities */
  constructor(proxy: string | undefined, ca?: string) {
    super();
    this.#proxy = proxy === undefined || !URL.canParse(proxy) ? null : new URL(proxy);
    this.#ca = ca;
  }

  /** Names aren't resolved here; an address that is written as such is one, and can be judged. */
  resolve(name: string): Promise<readonly string[] | null> {
    return Promise.resolve(isIP(name) === 0 ? null : [name]);
  }

  async request(asked: HttpAsked, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(asked.url);
    const until = { timeoutMs: asked.timeoutMs, signal };
    return url.protocol === 'https:' ? await this.#overTls(asked, url, until) : await this.#plain(asked, url, until);
  }

  async connect({ name }: Destination, port: number, timeoutMs: number): Promise<number> {
    const began = performance.now();
    (await openTunnel(this.#way(), name, port, { timeoutMs })).destroy();
    return performance.now() - began;
  }

  /** Echoes are no TCP, and the gate takes nothing else. */
  ping(): Promise<'impossible'> {
    return Promise.resolve('impossible');
  }

  async certificate({ name }: Destination, port: number, timeoutMs: number): Promise<CertificateFacts> {
    const socket = await this.#tls(name, port, { timeoutMs }, false);
    try {
      return factsOf(socket.getPeerCertificate(true), socket.authorized);
    } finally {
      socket.destroy();
    }
  }

  #way(): URL {
    if (this.#proxy === null) throw new Error('nothing leaves this sandbox');
    return this.#proxy;
  }

  async #plain(asked: HttpAsked, url: URL, until: Until): Promise<HttpAnswer> {
    const { hostname, port } = this.#way();
    const answer = await exchange({ host: hostname, port, path: url.href, agent: false }, asked, url, until);
    const words = GATE_STATUSES.has(answer.status) ? Buffer.from(answer.body).toString('utf8') : '';
    if (words.startsWith('writ: ')) throw new Error(gateWords(words));
    return answer;
  }

  async #overTls(asked: HttpAsked, url: URL, until: Until): Promise<HttpAnswer> {
    const socket = await this.#tls(url.hostname, url.port === '' ? 443 : Number(url.port), until, true);
    try {
      return await exchange(
        { createConnection: () => socket, path: `${url.pathname}${url.search}` },
        asked,
        url,
        until,
      );
    } finally {
      socket.destroy();
    }
  }

  async #tls(name: string, port: number, until: Until, isTrustNeeded: boolean): Promise<TLSSocket> {
    const { connect: connectTls } = await import('node:tls');
    const tunnel = await openTunnel(this.#way(), name, port, until);
    const host = name.replace(/^\[(.*)\]$/, '$1');
    const socket = connectTls({
      socket: tunnel,
      host,
      rejectUnauthorized: isTrustNeeded,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(this.#ca === undefined ? {} : { ca: this.#ca }),
    });
    return await within(
      until,
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

/** One request and its answer. Redirects are answers. */
async function exchange(
  way: RequestOptions,
  { method, headers, body, bytesMax }: HttpAsked,
  url: URL,
  until: Until,
): Promise<HttpAnswer> {
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const { request } = await import('node:http');
  const sent = request({
    ...way,
    method,
    headers: {
      host: url.host,
      'user-agent': 'mk8.shell',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      ...length,
      ...headers,
    },
  });
  return await within(
    until,
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
    isTrusted,
  };
}
