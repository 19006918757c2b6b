// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { JsonValue } from '@writ/stack';

export interface ExportedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

/** Receives and keeps what processes export over OTLP/HTTP, in JSON. */
export class Collector {
  readonly #server: Server;
  readonly #bodies: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          this.#bodies.push(Buffer.concat(parts).toString('utf8'));
          response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All received requests, unchanged. */
  get text(): string {
    return this.#bodies.join('\n');
  }

  get spans(): ExportedSpan[] {
    return this.#bodies
      .flatMap((body) => (JSON.parse(body) as JsonValue).resourceSpans as JsonValue[])
      .flatMap(({ resource, scopeSpans }) => {
        const service =
          (resource.attributes as { key: string; value: { stringValue: string } }[]).find(
            ({ key }) => key === 'service.name',
          )?.value.stringValue ?? '';
        return (scopeSpans as { spans: Omit<ExportedSpan, 'service'>[] }[]).flatMap(({ spans }) =>
          spans.map(({ name, traceId, spanId, parentSpanId }) => ({ service, name, traceId, spanId, parentSpanId })),
        );
      });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
