// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Controller, StreamableFile } from '@nestjs/common';
import { Fault, MCP_SERVER_NAME, type Caller } from '@writ/contract';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { AccessFinder } from './access.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { McpOrigins } from './mcp-origins.ts';
import { MCP, type McpMessage } from './routes.ts';

/** Headers of the protocol, which the endpoint reads. No credential is among them. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

@Controller()
export class McpController {
  constructor(
    private readonly accessFinder: AccessFinder,
    private readonly endpoint: McpEndpoint,
    private readonly origins: McpOrigins,
  ) {}

  @Route(MCP.post)
  post(
    @RequestInput() { caller, query, body }: RequestInputOf<typeof MCP.post>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile | undefined> {
    return this.#answer(caller, exchange, { query, body, tokenId: exchange.header('writ-token') });
  }

  @Route(MCP.postWithToken)
  postWithToken(
    @RequestInput() { caller, params, query, body }: RequestInputOf<typeof MCP.postWithToken>,
    @InExchange() exchange: Exchange,
  ): Promise<StreamableFile | undefined> {
    return this.#answer(caller, exchange, { query, body, tokenId: params.capability_token_id });
  }

  async #answer(
    caller: Caller,
    exchange: Exchange,
    {
      query,
      body,
      tokenId,
    }: {
      readonly query: RequestInputOf<typeof MCP.post>['query'];
      readonly body: McpMessage;
      readonly tokenId: string | undefined;
    },
  ): Promise<StreamableFile | undefined> {
    this.origins.verify(exchange.header('host'), exchange.header('origin'));
    const access = await this.accessFinder.open({
      caller,
      tokenId,
      workspaceId: query.workspace_id ?? exchange.header('writ-workspace'),
      catalogue: query.tools ?? 'all',
      server: mountedServer(query, exchange),
      header: (name) => exchange.header(name),
      gone: exchange.gone,
    });
    const headers = HEADERS.flatMap((name): [string, string][] => {
      const value = exchange.header(name);
      return value === undefined ? [] : [[name, value]];
    });
    const request = new Request('http://writ/mcp', { method: 'POST', headers, signal: exchange.gone });
    return sent(await exchange.withinTrace(() => this.endpoint.answer(request, body, access)), exchange);
  }
}

const SERVER = new RegExp(MCP_SERVER_NAME);

/** The server that the request names; null for none. Faults: `request.malformed`. */
function mountedServer({ server, tools }: RequestInputOf<typeof MCP.post>['query'], exchange: Exchange): string | null {
  const named = server ?? exchange.header('writ-server');
  if (named === undefined) return null;
  if (!SERVER.test(named)) throw new Fault('request.malformed', 'the header `Writ-Server` names no MCP server');
  if (tools === 'search')
    throw new Fault('request.malformed', '`tools=search` finds tools of all of Writ: leave it out, or the server');
  return named;
}

/** Sends an answer of the endpoint. */
function sent(answer: Response, exchange: Exchange): StreamableFile | undefined {
  exchange.setStatus(answer.status);
  const type = answer.headers.get('content-type');
  if (answer.body === null) return undefined;
  // Disables response buffering in nginx.
  if (type?.startsWith('text/event-stream') === true) exchange.setHeader('x-accel-buffering', 'no');
  return new StreamableFile(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), {
    type: type ?? 'application/json',
  });
}
