// SPDX-License-Identifier: Apache-2.0
import { FAULTS, parseMessage } from '@writ/contract';
import type { Static, TSchema } from 'typebox';
import { CliError } from '../cli-error.ts';

/** More than the longest wait that the API allows. */
const REQUEST_TIMEOUT_MS = 90_000;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; bytes are sent unchanged, and a stream of them is streamed. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** milliseconds to wait for the answer, where that may be longer than usual */
  readonly timeoutMs?: number;
  /** aborts a stream, which otherwise has no time limit */
  readonly signal?: AbortSignal;
}

/** The HTTP API, with one key. */
export class Client {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** @throws CliError with the fault code of the problem in the answer, or `http` where there is no answer */
  async request(
    path: string,
    { method = 'GET', body, headers = {}, timeoutMs = REQUEST_TIMEOUT_MS, signal }: RequestOptions = {},
  ): Promise<Response> {
    const isBytes = body instanceof Uint8Array || body instanceof ReadableStream;
    const type =
      body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
    let answer: Response;
    try {
      answer = await fetch(`${this.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, ...type, ...headers },
        body:
          body === undefined
            ? null
            : isBytes
              ? (body as Uint8Array<ArrayBuffer> | ReadableStream)
              : JSON.stringify(body),
        ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
        // The key must not be sent to another address.
        redirect: 'error',
        signal: signal ?? AbortSignal.timeout(timeoutMs),
      });
    } catch (cause) {
      throw new CliError('http', `${this.url} does not answer: is it running?`, undefined, { cause });
    }
    if (!answer.ok) throw await problemOf(answer, method, path);
    return answer;
  }

  /**
   * Posts a message of a protocol that has its own errors: resolves with any answer, whatever its status. Rejects where
   * there is none, or when `signal` aborts.
   */
  async send(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    return await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
      // The key must not be sent to another address.
      redirect: 'error',
      signal,
    });
  }

  /** Sends a request and parses the answer by a schema. */
  async read<S extends TSchema>(schema: S, path: string, ask: RequestOptions = {}): Promise<Static<S>> {
    const answer = await this.request(path, ask);
    try {
      return parseMessage(schema, await answer.json());
    } catch (cause) {
      throw new CliError(
        'answer',
        `${this.url}${path} answered what this program does not understand: are both of the same version?`,
        undefined,
        { cause },
      );
    }
  }
}

interface ProblemBody {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly title?: unknown;
  readonly pointer?: unknown;
}

/** The answer for every id and name that leads nowhere, or that the caller may not see. */
const NOTHING_HERE = FAULTS.not_found.message;

/** The same, with the last id or name of the path. */
function nothingAt(path: string): string {
  const parts = (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');
  const name = parts[2];
  return name === undefined
    ? NOTHING_HERE
    : `there is no \`${decodeURIComponent(name)}\` here, or this key may not see it`;
}

async function problemOf(answer: Response, method: string, path: string): Promise<CliError> {
  const problem = (await answer.json().catch(() => ({}))) as ProblemBody;
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const said = text(problem.detail) ?? text(problem.title) ?? `status ${answer.status}`;
  const message = problem.code === 'not_found' && said === NOTHING_HERE ? nothingAt(path) : said;
  const pointer = text(problem.pointer);
  return new CliError(
    text(problem.code) ?? 'http',
    `${message}${pointer === undefined ? '' : `, at \`${pointer}\``} (${method} ${path.split('?')[0]})`,
  );
}
