// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * What the server does with the next request. `cut`: the connection breaks after the chunks. `silent`: nothing follows,
 * and the connection stays open.
 */
export interface WireScript {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly end: 'whole' | 'cut' | 'silent';
}

export interface WireRequest {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** An event of a stream (WHATWG HTML, "Server-sent events"); data other than text is sent as JSON. */
export const sse = (data: object | string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A chunk of a streamed chat completion with one choice, as OpenAI's API sends it. */
export const chatChunk = (delta: object, finish_reason: string | null = null): string =>
  sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });

/** A provider on loopback. It streams the chunks of a test as the provider's own server would. */
export class WireServer {
  readonly requests: WireRequest[] = [];
  /** connections whose client disconnected before the answer was complete */
  abandoned = 0;
  /** the next script, or a function of the request */
  script: WireScript | ((request: WireRequest) => WireScript | Promise<WireScript>) = { chunks: [], end: 'whole' };
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async open(): Promise<this> {
    // A test that fails before it closes must not keep the run from ending.
    this.#server.unref();
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const received = {
      url: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(body) as Record<string, unknown>,
    };
    this.requests.push(received);
    response.on('close', () => {
      if (!response.writableEnded) this.abandoned++;
    });
    const {
      status = 200,
      headers = {},
      chunks,
      end,
    } = typeof this.script === 'function' ? await this.script(received) : this.script;
    response.writeHead(status, {
      'content-type': status === 200 ? 'text/event-stream' : 'application/json',
      ...headers,
    });
    for (const chunk of chunks) {
      if (!response.write(chunk)) await once(response, 'drain');
      // Each chunk is a separate packet, so that a client reads pieces.
      await new Promise(setImmediate);
    }
    if (end === 'whole') response.end();
    if (end === 'cut') response.destroy();
  }
}
