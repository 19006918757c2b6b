// SPDX-License-Identifier: Apache-2.0
import { hkdfSync } from 'node:crypto';
import {
  createMcpHandler,
  createRequestStateCodec,
  ProtocolErrorCode,
  type McpHttpHandler,
  type RequestStateCodec,
} from '@modelcontextprotocol/server';
import type { McpConnection } from './connection.ts';
import type { HeldState } from './held-state.ts';
import { mcpServer, type McpServerParts } from './mcp-server.ts';
import { readMessage } from './read-message.ts';
import type { McpMessage } from './routes.ts';
import { sendShortErrors, shortAnswer } from './short-errors.ts';

/** How long a client may take to ask its user about a held call, in seconds: as long as an approval usually waits. */
const STATE_SECONDS = 86_400;
const [CONNECTION, ARGS] = ['connection', 'args'];

/**
 * Seals the operation of a held call into what its client sends back. Any replica reads it, and only for the same key
 * and the same capability token.
 * @param key 32 bytes, from which the key of the MAC is derived
 */
export function heldStates(key: Buffer): RequestStateCodec<HeldState> {
  return createRequestStateCodec<HeldState>({
    key: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/mcp-state/v1', 32)),
    ttlSeconds: STATE_SECONDS,
    bind: ({ http }) => `${http?.authInfo?.clientId ?? ''}\0${connectionOf(http?.authInfo?.extra).tokenId}`,
  });
}

/**
 * Serves both revisions of the protocol. INVARIANT (stateless): each request is served alone, of the revision
 * 2025-11-25 too, so no request depends on the replica that served another.
 */
export class McpEndpoint {
  readonly #handler: McpHttpHandler;

  /** @param report is called with errors that no answer shows */
  constructor(parts: McpServerParts, report: (error: Error) => void) {
    this.#handler = createMcpHandler(
      ({ authInfo, era }) => {
        const args = authInfo?.extra?.[ARGS] as Record<string, unknown> | undefined;
        const server = mcpServer(parts, connectionOf(authInfo?.extra), { era, args });
        sendShortErrors(server);
        return server;
      },
      { onerror: report },
    );
  }

  /** Answers one message of an admitted caller. No credential is passed on. Faults: `request.too_large`. */
  async answer(request: Request, whole: McpMessage, connection: McpConnection): Promise<Response> {
    const { message, args } = readMessage(whole);
    if (message.method === 'subscriptions/listen') return noSubscriptions(message);
    const answer = await this.#handler.fetch(request, {
      parsedBody: message,
      authInfo: {
        token: '',
        clientId: connection.caller.api_key_id,
        scopes: [],
        extra: { [CONNECTION]: connection, [ARGS]: args },
      },
    });
    return await shortAnswer(answer);
  }
}

/**
 * Lists have a lifetime instead of notifications. The SDK would open a stream that never says anything, and that
 * outlives the key.
 */
const noSubscriptions = ({ id = null }: McpMessage): Response =>
  Response.json(
    { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' } },
    { status: 404 },
  );

function connectionOf(extra: Readonly<Record<string, unknown>> | undefined): McpConnection {
  const connection = extra?.[CONNECTION] as McpConnection | undefined;
  if (connection === undefined) throw new Error('a request without a connection');
  return connection;
}
