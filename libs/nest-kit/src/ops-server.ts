// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readiness } from './readiness.ts';

export interface OpsServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The version of the process, which a newer replica compares during a rollout. */
  readonly version: string;
  readonly readiness: Readiness;
  readonly metricsText: () => Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = 'application/json';

/**
 * Serves the endpoints for supervisors and Prometheus. /healthz: the process runs, with its version. /readyz: 200 or
 * 503, with the outcome of each check. /metrics. Three fixed answers to GET without parameters need no framework.
 */
export class OpsServer {
  readonly #options: OpsServerOptions;
  readonly #server: Server;

  constructor(options: OpsServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      void this.#answer(request.method, request.url).then(({ status, type, body }) => {
        response
          .writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
          .end(request.method === 'HEAD' ? undefined : body);
      });
    });
  }

  /** Listens and resolves to the port. Rejects when the port is in use. */
  async listen(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.host);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(method: string | undefined, url: string | undefined): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: json, body: '{"error":"only GET"}' };
    try {
      return await this.#route(url?.split('?')[0]);
    } catch {
      return { status: 500, type: json, body: '{"error":"internal"}' };
    }
  }

  async #route(path: string | undefined): Promise<Answer> {
    switch (path) {
      case '/healthz':
        return { status: 200, type: json, body: JSON.stringify({ status: 'ok', version: this.#options.version }) };
      case '/readyz': {
        const report = await this.#options.readiness.look();
        return { status: report.ready ? 200 : 503, type: json, body: JSON.stringify(report) };
      }
      case '/metrics':
        return {
          status: 200,
          type: 'text/plain; version=0.0.4; charset=utf-8',
          body: await this.#options.metricsText(),
        };
      default:
        return { status: 404, type: json, body: '{"error":"not found"}' };
    }
  }
}
