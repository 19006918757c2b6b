// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import type { McpRemoteTool } from '@writ/contract';
import { Loopback, type Received } from './loopback.ts';

export const SESSION = 'session-1';

/** A tool with a schema for its result. */
export const ADD: McpRemoteTool = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  annotations: { readOnlyHint: true },
};

export const SUM = { content: [{ type: 'text', text: '3' }], structuredContent: { sum: 3 } };

export type Answer = (received: Received, response: ServerResponse) => unknown;

/** A server of MCP in one of the revisions, whose answers a test replaces by the method. */
export class Upstream {
  readonly isLegacy: boolean;
  readonly loopback: Loopback;
  answers: Readonly<Record<string, Answer>> = {};
  tools: readonly unknown[] = [ADD];
  capabilities: Readonly<Record<string, unknown>> = { tools: {} };

  private constructor(isLegacy: boolean, loopback: Loopback) {
    this.isLegacy = isLegacy;
    this.loopback = loopback;
  }

  static async open({ isLegacy = false } = {}): Promise<Upstream> {
    const upstream: { server?: Upstream } = {};
    const loopback = await Loopback.open((received, response) => upstream.server?.handle(received, response));
    return (upstream.server = new Upstream(isLegacy, loopback));
  }

  /** The methods that were received, in order. */
  get methods(): string[] {
    return this.loopback.methods;
  }

  handle(received: Received, response: ServerResponse): void {
    const own = this.answers[received.method === '' ? received.httpMethod : received.method];
    if (own !== undefined) own(received, response);
    else this.#usual(received, response);
  }

  #usual(received: Received, response: ServerResponse): void {
    const { method, httpMethod } = received;
    if (method === 'tools/list')
      return this.result(received, response, { tools: this.tools, ttlMs: 0, cacheScope: 'private' });
    if (method === 'tools/call') return this.result(received, response, SUM);
    const { capabilities } = this;
    if (method === 'server/discover' && !this.isLegacy)
      return this.result(received, response, {
        supportedVersions: ['2026-07-28'],
        capabilities,
        ttlMs: 0,
        cacheScope: 'private',
      });
    if (method === 'initialize' && this.isLegacy)
      return this.result(
        received,
        response,
        { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'upstream', version: '1' } },
        { 'mcp-session-id': SESSION },
      );
    if (method.startsWith('notifications/') || (method === '' && httpMethod === 'POST'))
      return void response.writeHead(202).end();
    response.writeHead(httpMethod === 'POST' ? 400 : 405).end();
  }

  /** Answers with a result. */
  result(
    { id }: Received,
    response: ServerResponse,
    result: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const whole = this.isLegacy ? result : { resultType: 'complete', ...result };
    send(response, { jsonrpc: '2.0', id, result: whole }, headers);
  }

  /** The text of a result, as an event of a stream. */
  event({ id }: Received, result: Readonly<Record<string, unknown>>): string {
    const whole = this.isLegacy ? result : { resultType: 'complete', ...result };
    return eventOf({ jsonrpc: '2.0', id, result: whole });
  }
}

export const eventOf = (message: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

export const send = (response: ServerResponse, body: unknown, headers: Readonly<Record<string, string>> = {}): void =>
  void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const refuse =
  (code: number, message = 'no'): Answer =>
  ({ id }, response) =>
    send(response, { jsonrpc: '2.0', id, error: { code, message } });

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (_received, response) =>
    response.writeHead(code, headers).end(body);

/** A stream of events that a test writes. */
export const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
