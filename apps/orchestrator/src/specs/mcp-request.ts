// SPDX-License-Identifier: Apache-2.0

/** A message of the stateless revision, with the envelope that the revision asks for. */
export interface ModernRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** what the client says that it can do */
  readonly capabilities?: object;
  /** closes the request */
  readonly signal?: AbortSignal | undefined;
}

const VERSION = '2026-07-28';

/** Posts one message, with the headers that repeat parts of it unless `headers` says otherwise. */
export function postModern(
  path: string,
  key: string,
  { method, params = {}, capabilities = {}, signal }: ModernRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const meta = {
    ...(params['_meta'] as object | undefined),
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return fetch(path, {
    method: 'POST',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** Posts one message of the revision 2025-11-25. */
export const postLegacy = (path: string, key: string, { method, params = {} }: ModernRequest): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

/** The message in an answer, which may be a stream of which it is the last one. */
export async function messageOf(
  answer: Response,
): Promise<{
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly data?: unknown };
}> {
  const text = await answer.text();
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const line = isStream
    ? text
        .split('\n')
        .filter((one) => one.startsWith('data:'))
        .at(-1)!
        .slice('data:'.length)
    : text;
  return JSON.parse(line) as Awaited<ReturnType<typeof messageOf>>;
}
