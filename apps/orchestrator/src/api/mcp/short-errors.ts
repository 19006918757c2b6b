// SPDX-License-Identifier: Apache-2.0
//
// The SDK answers a malformed message with the errors of its schemas, one for each value, which are many times as long
// as the message. A client gets one short sentence instead.
import type { McpServer } from '@modelcontextprotocol/server';

/** Characters of the longest error that a client gets. */
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
  const data = JSON.stringify(error.data) ?? '';
  const isShort = said.length <= CHARS_MAX && !/^(Invalid [^[]*: )?\[/.test(said);
  if (isShort && data.length <= CHARS_MAX) return message;
  return {
    ...message,
    error: {
      code: error.code,
      message: isShort ? said : INVALID,
      ...(error.data === undefined || data.length > CHARS_MAX ? {} : { data: error.data }),
    },
  };
}
