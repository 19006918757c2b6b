// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Terminal } from '../chat/terminal-port.ts';
import { readEnvironment } from '../config.env.ts';
import { runCli } from '../program.ts';
import { textOf } from '../utf8.ts';

/** The output and the exit status of the program. */
export interface CliResult {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface CliEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** a person at the terminal; without it, standard input is a pipe */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** a terminal for `chat`; without it, standard input is a pipe */
  readonly terminal?: Terminal;
  /** receives the handler of ctrl-c, whenever it changes */
  readonly onInterrupt?: (handler: () => void) => () => void;
  /** receives the progress line of a terminal; without it, stderr is a pipe */
  readonly showProgress?: (line: string) => void;
  /** the person's browser; without it, there is none */
  readonly openPage?: (url: string) => Promise<boolean>;
}

/** Splits bytes as a pipe does: not at line ends. */
function* chunksOf(bytes: Buffer, length = 1000): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

/** Runs the program as `writ ARGS…` would. */
export async function writ(
  args: readonly string[],
  { env = {}, cwd = '/', stdin = '', confirm, showProgress, terminal, onInterrupt, openPage }: CliEnvironment = {},
): Promise<CliResult> {
  let [out, err] = ['', ''];
  const exit = await runCli(args, {
    cwd,
    env: readEnvironment(env),
    write: (words) => {
      out += words;
    },
    writeError: (words) => {
      err += words;
    },
    readStdin: async () => textOf(Buffer.from(stdin), 'standard input'),
    readHidden: async () => textOf(Buffer.from(stdin), 'standard input'),
    confirm: confirm ?? null,
    streamStdin: () => Readable.from(chunksOf(Buffer.from(stdin))),
    showProgress: showProgress ?? null,
    terminal: terminal ?? null,
    onInterrupt: onInterrupt ?? (() => () => undefined),
    setExit: () => undefined,
    openPage: openPage ?? (async () => false),
  });
  return { exit, out, err };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface FakeResponse {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fake API whose answers a test defines, and which keeps the requests. */
export interface FakeApi {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** @param answer by `METHOD /path`, without the query; strings and bytes are sent unchanged, anything else as JSON */
export async function fakeApi(answer: (request: ReceivedRequest) => FakeResponse): Promise<FakeApi> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const received = {
        method: request.method ?? '',
        url: request.url ?? '',
        key: request.headers.authorization,
        headers: request.headers,
        body,
      };
      requests.push(received);
      const { status = 200, body: content, headers = {} } = answer(received);
      response.writeHead(status, headers);
      response.end(typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
    });
  });
  // A test that fails before it closes the server must not keep the process alive.
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, requests, env: { WRIT_URL: url, WRIT_API_KEY: 'writ_test' }, close };
}

/** A problem in the API's form. */
export const problem = (status: number, code: string, detail: string): FakeResponse => ({
  status,
  body: { type: `https://writ.dev/errors/${code}`, title: code, status, code, detail },
});
