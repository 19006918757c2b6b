// SPDX-License-Identifier: Apache-2.0
//
// The SDK answers a malformed message with the errors of its schemas, one for each value, which are many times as long
// as the message. A client gets one short sentence instead.
import type { McpServer } from '@modelcontextprotocol/server';

/** Characters of the longest message of an error that a client gets, and of the longest data of one, as JSON. */
const CHARS_MAX = 1_000;
const INVALID = 'the message does not match the schema of its method';

interface Answer {
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/** Makes the errors short that a server sends by its transport. */
export function sendShortErrors({ server }: McpServer): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(shortError(message), options);
    await connect(transport);
  };
}

/** An answer with an error of the HTTP transport, made short. Any other answer is passed on as it is. */
export async function shortAnswer(answer: Response): Promise<Response> {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  if (answer.status < 400 || !isJson) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return Response.json(shortError((await answer.json()) as Answer), { status: answer.status, headers });
}

/** The schemas' errors begin with `[`, after words of the SDK. */
function shortError<T extends object>(message: T): T {
  const { error } = message as Answer;
  if (error === undefined) return message;
  const said = typeof error.message === 'string' ? error.message : '';
  const isShort = said.length <= CHARS_MAX && !/^(Invalid [^[]*: )?\[/.test(said);
  const data = fittingData(error.data);
  if (isShort && data === error.data) return message;
  return {
    ...message,
    error: { code: error.code, message: isShort ? said : INVALID, ...(data === undefined ? {} : { data }) },
  };
}

/**
 * As much of an error's data as fits: the shortest members. What names an operation is short, and what repeats a
 * request may be long.
 */
function fittingData(data: unknown): unknown {
  if ((JSON.stringify(data) ?? '').length <= CHARS_MAX) return data;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const members = Object.entries(data).map(
    ([name, value]) => [name, JSON.stringify({ [name]: value as unknown }).length] as const,
  );
  const fitting = new Set<string>();
  let left = CHARS_MAX;
  for (const [name, length] of members.sort(([, a], [, b]) => a - b)) {
    left -= length;
    if (left < 0) break;
    fitting.add(name);
  }
  return fitting.size === 0
    ? undefined
    : Object.fromEntries(Object.entries(data).filter(([name]) => fitting.has(name)));
}
