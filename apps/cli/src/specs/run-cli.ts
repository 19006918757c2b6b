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

/** What the program said and how it ended. */
export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface World {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** a person at the terminal; without it, it is as in a pipe */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** a person at a terminal, for `chat`; without it, it is as in a pipe */
  readonly terminal?: Terminal;
  /** given what ctrl-c does, whenever that changes */
  readonly onInterrupt?: (heard: () => void) => () => void;
  /** told what a terminal would show of progress; without it, it is as in a pipe */
  readonly showProgress?: (line: string) => void;
}

/** As a pipe hands it over: not at the ends of lines. */
function* inPieces(bytes: Buffer, length = 1000): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

/** Runs the program as `writ ARGS…` would. */
export async function writ(
  args: readonly string[],
  { env = {}, cwd = '/', stdin = '', confirm, showProgress, terminal, onInterrupt }: World = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const exit = await runCli(args, {
    cwd,
    env: readEnvironment(env),
    write: (words) => {
      out += words;
    },
    complain: (words) => {
      err += words;
    },
    readStdin: async () => textOf(Buffer.from(stdin), 'standard input'),
    readHidden: async () => textOf(Buffer.from(stdin), 'standard input'),
    confirm: confirm ?? null,
    streamStdin: () => Readable.from(inPieces(Buffer.from(stdin))),
    showProgress: showProgress ?? null,
    terminal: terminal ?? null,
    onInterrupt: onInterrupt ?? (() => () => undefined),
    setExit: () => undefined,
  });
  return { exit, out, err };
}

export interface Heard {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Said {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API that answers what a test says, and remembers what it was asked. */
export interface FakeApi {
  readonly url: string;
  readonly heard: Heard[];
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** @param answer by `METHOD /path`, without the query; strings and bytes are sent as they are, anything else as JSON */
export async function fakeApi(answer: (heard: Heard) => Said): Promise<FakeApi> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        key: request.headers.authorization,
        headers: request.headers,
        body,
      };
      heard.push(one);
      const { status = 200, body: said, headers = {} } = answer(one);
      response.writeHead(status, headers);
      response.end(typeof said === 'string' || said instanceof Uint8Array ? said : JSON.stringify(said));
    });
  });
  // A test that fails before it closes must not keep the run from ending.
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url, heard, env: { WRIT_URL: url, WRIT_API_KEY: 'writ_test' }, close };
}

/** A problem as the API answers it. */
export const problem = (status: number, code: string, detail: string): Said => ({
  status,
  body: { type: `https://writ.dev/errors/${code}`, title: code, status, code, detail },
});
