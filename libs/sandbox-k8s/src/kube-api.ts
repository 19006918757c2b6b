// SPDX-License-Identifier: Apache-2.0
/**
 * Requests to one API server. Its address and the credentials come from the Kubernetes client's `KubeConfig`:
 * kubeconfig files, service accounts with changing tokens, exec plugins.
 *
 * The requests are our own, since those of @kubernetes/client-node 2.0.1 don't fit. Each opens a new connection
 * (`createDispatcher` keeps none), which takes three times as long and four times the processor time. Its `Attach`
 * writes to either side without back pressure, so a flood would fill this process.
 */
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import type { KubeConfig } from '@kubernetes/client-node';
import { ApiError } from './api-error.ts';

export interface KubeApiSource {
  /** a kubeconfig file; absent: the service account of the pod in which this process runs */
  readonly kubeconfig?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** the media types of the answer; JSON by default */
  readonly accept?: string;
  readonly signal: AbortSignal;
}

/** An event of a watch, as it was received. */
export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** How to reach the server by another protocol than these requests. */
export interface WebSocketTarget {
  readonly url: URL;
  readonly options: https.RequestOptions;
}

/** How often credentials are read again: a service account's token is replaced minutes before it expires. */
const CREDENTIALS_MS = 30_000;
/** As many concurrent requests as a pool needs to fill; further ones wait for a connection. */
const CONNECTIONS_MAX = 16;
/** A watch with bookmarks gets one each minute: in this time two have failed to arrive. */
const SILENCE_MS_MAX = 150_000;
/** No answer about sandboxes is longer. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export class KubeApi {
  readonly #config: KubeConfig;
  readonly #server: URL;
  #reach: { readonly until: number; readonly options: https.RequestOptions } | null = null;
  #agent: { readonly agent: http.Agent; readonly key: string } | null = null;

  /** Reads the server's address. Throws an Error that names the remedy where it is unknown. */
  static async load({ kubeconfig }: KubeApiSource): Promise<KubeApi> {
    // Imported late, since only this driver needs it, and by its file: the package's entry loads 18 MB of models.
    const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
    const config = new Config();
    if (kubeconfig === undefined) config.loadFromCluster();
    else config.loadFromFile(kubeconfig);
    const cluster = config.getCurrentCluster();
    if (cluster === null || !/^https?:\/\/[^/]/.test(cluster.server) || cluster.server.includes('//undefined')) {
      throw new Error(
        kubeconfig === undefined
          ? 'no API server is known: run in a pod whose service account token is mounted, or name a kubeconfig file'
          : `the kubeconfig file \`${kubeconfig}\` has no current context with a cluster`,
      );
    }
    return new KubeApi(config, new URL(cluster.server));
  }

  private constructor(config: KubeConfig, server: URL) {
    this.#config = config;
    this.#server = server;
  }

  /** The address on which the server listens. */
  get address(): { readonly host: string; readonly port: number } {
    const { hostname, port, protocol } = this.#server;
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    };
  }

  /**
   * Sends one request. Rejects with ApiError for a refusal, with the network's error where there is no answer, and when
   * the signal aborts.
   */
  async request<T>(what: string, request: ApiRequest): Promise<T> {
    const answer = await this.#send(request);
    const body = await textOf(answer);
    const { statusCode = 0, headers } = answer;
    if (statusCode < 200 || statusCode > 299) throw new ApiError(what, statusCode, body, headers['retry-after']);
    return JSON.parse(body) as T;
  }

  /**
   * Follows a watch; ends when the server ends it. Throws when it breaks, or is silent for longer than a bookmark takes
   * to arrive. Rejects like `ask`.
   */
  async *watch(
    what: string,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent> {
    const answer = await this.#send({ method: 'GET', path, query: { ...query, watch: 'true' }, signal });
    if (answer.statusCode !== 200)
      throw new ApiError(what, answer.statusCode ?? 0, await textOf(answer), answer.headers['retry-after']);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    const silence = setTimeout(
      () => answer.destroy(new Error('the API server says nothing more in a watch')),
      SILENCE_MS_MAX,
    ).unref();
    answer.once('close', () => clearTimeout(silence));
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      silence.refresh();
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > ANSWER_BYTES_MAX) throw new Error('an event of the API server is too long');
      for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent;
    }
  }

  /** The address, credentials and connections for WebSockets. */
  async webSocketTarget(path: string): Promise<WebSocketTarget> {
    return { url: this.#urlOf(path), options: await this.#options() };
  }

  close(): void {
    this.#agent?.agent.destroy();
  }

  async #send(request: ApiRequest): Promise<IncomingMessage> {
    const { method, path, query, body, accept = 'application/json', signal } = request;
    const url = this.#urlOf(path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const { headers, ...rest } = await this.#options();
    const options: RequestOptions = {
      ...rest,
      method,
      signal,
      headers: {
        ...headers,
        accept,
        ...(bytes === null ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
      },
    };
    return await new Promise((resolve, reject) => {
      const sent =
        url.protocol === 'http:' ? http.request(url, options, resolve) : https.request(url, options, resolve);
      sent.once('error', reject);
      sent.end(bytes ?? undefined);
    });
  }

  /** Below the server's own path, for a server behind a proxy. */
  #urlOf(path: string): URL {
    return new URL(`${this.#server.href.replace(/\/$/, '')}${path}`);
  }

  async #options(): Promise<https.RequestOptions> {
    const now = performance.now();
    if (this.#reach !== null && this.#reach.until > now) return this.#reach.options;
    const applied: https.RequestOptions = {};
    await this.#config.applyToHTTPSOptions(applied);
    const isProxied = this.#config.getCurrentCluster()?.proxyUrl !== undefined;
    const options = isProxied ? applied : { ...applied, agent: this.#agentFor(applied) };
    this.#reach = { until: now + CREDENTIALS_MS, options };
    return options;
  }

  #agentFor({ ca, cert, key, rejectUnauthorized, servername }: https.RequestOptions): http.Agent {
    const made = JSON.stringify(
      [ca, cert, key, rejectUnauthorized, servername].map((each) =>
        each instanceof Uint8Array ? Buffer.from(each).toString('base64') : (each ?? null),
      ),
    );
    if (this.#agent?.key === made) return this.#agent.agent;
    const common = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
    const agent =
      this.#server.protocol === 'http:'
        ? new http.Agent(common)
        : new https.Agent({
            ...common,
            ca,
            cert,
            key,
            ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
            ...(servername === undefined ? {} : { servername }),
          });
    this.#agent = { agent, key: made };
    return agent;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error("the API server's answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
