// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@writ/digest';
import { ChromaError } from './chroma-error.ts';

export interface ChromaResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a request, such as through the egress gate, and adds the headers, among them any key. It rejects if there is no
 * response.
 */
export type SendChromaRequest = (
  method: 'GET' | 'POST',
  url: string,
  body: string | null,
  signal?: AbortSignal,
) => Promise<ChromaResponse>;

/** What a request does: a `change` whose response is lost may have happened. */
export type RequestKind = 'read' | 'change';

/** What a collection is told with. It has its configuration and somebody's metadata. */
const ANSWER_CHARS_MAX = 262_144;

/**
 * Sends one request and returns the body of a response with a status of 200 to 299, which nobody has read.
 * @throws ChromaError
 */
export async function request(
  send: SendChromaRequest,
  kind: RequestKind,
  path: { readonly method: 'GET' | 'POST'; readonly url: string; readonly body?: unknown },
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  let response: ChromaResponse;
  try {
    const body = path.body === undefined ? null : JSON.stringify(path.body);
    response = await send(path.method, path.url, body, signal);
  } catch (cause) {
    if (kind === 'change') throw new ChromaError('ambiguous', 'the server of the store sent no response', { cause });
    signal?.throwIfAborted();
    throw new ChromaError('unavailable', 'the server of the store sent no response', { cause });
  }
  const { status, body } = response;
  if (status === 404) throw new ChromaError('missing', 'the server has no such collection');
  if (status === 429) throw new ChromaError('unavailable', `the server answered with status ${status}`);
  if (status >= 500)
    throw new ChromaError(kind === 'change' ? 'ambiguous' : 'unavailable', `the server answered with status ${status}`);
  if (status < 200 || status > 299) throw new ChromaError('refused', `the server answered with status ${status}`);
  return body;
}

/** The members of a body. @param charsMax a longer one is no answer @throws ChromaError `malformed` */
export function membersOf(body: string, charsMax = ANSWER_CHARS_MAX): Readonly<Record<string, unknown>> {
  if (body.length > charsMax)
    throw new ChromaError('malformed', `the server answered more than ${charsMax} characters`);
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    throw new ChromaError('malformed', 'the server answered no JSON', { cause });
  }
  if (typeof value !== 'object' || value === null)
    throw new ChromaError('malformed', 'the server answered no object of JSON');
  return value as Readonly<Record<string, unknown>>;
}
