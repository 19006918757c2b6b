// SPDX-License-Identifier: Apache-2.0
import { hkdfSync } from 'node:crypto';
import {
  createMcpHandler,
  createRequestStateCodec,
  ProtocolErrorCode,
  type McpHttpHandler,
  type RequestStateCodec,
} from '@modelcontextprotocol/server';
import { isServerRequest } from '@writ/mcp-tool';
import type { McpAccess } from './access.ts';
import type { HeldState } from './held-state.ts';
import { mcpServer, type McpServerParts } from './mcp-server.ts';
import { readMessage } from './read-message.ts';
import { MountFeatures, NO_FEATURES, type MountedFeatures } from './mount/mounted-features.ts';
import { isName } from './mount/mounted-tools.ts';
import { headerMismatch } from './mount/param-headers.ts';
import type { PinnedTool } from './mount/remote-tools.ts';
import type { McpMessage } from './routes.ts';
import { sendShortErrors, shortAnswer } from './short-errors.ts';

/** How long a client may take to ask its user about a held call, in seconds: as long as an approval usually waits. */
const STATE_SECONDS = 86_400;
const [ACCESS, ARGS, CALLED, FEATURES] = ['access', 'args', 'called', 'features'];
/** The member of `_meta` that every request of the stateless revision has. */
const VERSION_META = 'io.modelcontextprotocol/protocolVersion';
/** The error of that revision for headers that differ from the message. */
const HEADER_MISMATCH = -32_020;

/**
 * Seals the operation of a held call into what its client sends back. Any replica reads it, and only for the same key
 * and the same capability token.
 * @param key 32 bytes, from which the key of the MAC is derived
 */
export function heldStates(key: Buffer): RequestStateCodec<HeldState> {
  return createRequestStateCodec<HeldState>({
    key: Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/mcp-state/v1', 32)),
    ttlSeconds: STATE_SECONDS,
    bind: ({ http }) => `${http?.authInfo?.clientId ?? ''}\0${accessOf(http?.authInfo?.extra).tokenId}`,
  });
}

/**
 * Serves both revisions of the protocol. INVARIANT (stateless): each request is served alone, of the revision
 * 2025-11-25 too, so no request depends on the replica that served another.
 */
export class McpEndpoint {
  readonly #handler: McpHttpHandler;
  readonly #remote: McpServerParts['remote'];
  readonly #features: MountFeatures;

  /** @param report is called with errors that no answer shows */
  constructor(parts: McpServerParts, report: (error: Error) => void) {
    this.#remote = parts.remote;
    this.#features = new MountFeatures(parts.offers, parts.remote);
    this.#handler = createMcpHandler(
      ({ authInfo, era }) => {
        const args = authInfo?.extra?.[ARGS] as Record<string, unknown> | undefined;
        const called = (authInfo?.extra?.[CALLED] ?? null) as PinnedTool | null;
        const features = (authInfo?.extra?.[FEATURES] ?? NO_FEATURES) as MountedFeatures;
        const server = mcpServer(parts, accessOf(authInfo?.extra), { era, args, called, features });
        sendShortErrors(server);
        return server;
      },
      { onerror: report },
    );
  }

  /**
   * Answers one message of an admitted caller. No credential is passed on. Faults: `request.too_large`, and those of
   * finding the tool and the features of a mount.
   */
  async answer(request: Request, whole: McpMessage, access: McpAccess): Promise<Response> {
    const { message, args } = readMessage(whole);
    if (message.method === 'subscriptions/listen') return noSubscriptions(message);
    const called = await this.#called(message, access);
    if (called !== null && isModern(message)) {
      const mismatch = await this.#mismatch(called, access, args ?? {});
      if (mismatch !== null) return rejected(message, 400, HEADER_MISMATCH, mismatch);
    }
    const features = await this.#features.of(message, access);
    const answer = await this.#handler.fetch(request, {
      parsedBody: message,
      authInfo: {
        token: '',
        clientId: access.caller.api_key_id,
        scopes: [],
        extra: { [ACCESS]: access, [ARGS]: args, [CALLED]: called, [FEATURES]: features },
      },
    });
    return await shortAnswer(answer);
  }

  /** The tool of a mount that the message calls; null for none, and for any other message. */
  async #called({ method, params }: McpMessage, { caller, server }: McpAccess): Promise<PinnedTool | null> {
    const name = method === 'tools/call' ? params?.['name'] : undefined;
    // A request beside tools is no tool, whatever stands for it.
    return server !== null && isName(name) && !isServerRequest(name)
      ? await this.#remote.find(caller, server, name)
      : null;
  }

  async #mismatch(
    called: PinnedTool,
    { caller, server, header }: McpAccess,
    args: Readonly<Record<string, unknown>>,
  ): Promise<string | null> {
    const definitions = await this.#remote.definitions(caller, server ?? '', [called]);
    // A tool that is out of force has none, and is refused.
    const definition = definitions.get(called.tool_id);
    return definition === undefined ? null : headerMismatch(definition, args, header);
  }
}

const isModern = ({ params }: McpMessage): boolean =>
  (params?.['_meta'] as Record<string, unknown> | undefined | null)?.[VERSION_META] !== undefined;

const rejected = ({ id = null }: McpMessage, status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });

/**
 * Lists have a lifetime instead of notifications. The SDK would open a stream that never says anything, and that
 * outlives the key.
 */
const noSubscriptions = (message: McpMessage): Response =>
  rejected(message, 404, ProtocolErrorCode.MethodNotFound, 'Method not found');

function accessOf(extra: Readonly<Record<string, unknown>> | undefined): McpAccess {
  const access = extra?.[ACCESS] as McpAccess | undefined;
  if (access === undefined) throw new Error('a request without its access');
  return access;
}
