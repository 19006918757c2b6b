// SPDX-License-Identifier: Apache-2.0
import { FAULTS, parseMessage } from '@writ/contract';
import type { Static, TSchema } from 'typebox';
import { CliError, EXIT, exitOfFault, exitWithoutAnswer } from '../cli-error.ts';
import { LISTED_MAX, suggestionOf, THINGS, thingInPath, thingsIn, type NamedThing } from './known-things.ts';

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
  /** what the request is about, where its path doesn't name it: for the message if it isn't there */
  readonly about?: NamedThing;
}

/** A suggestion is worth no longer wait. */
const SUGGESTION_MS = 2_000;

/** What requests present: a key, or a session that may be renewed before each of them. */
export interface KeySource {
  readonly current: () => Promise<string>;
  /** what to tell where the server doesn't know it any more */
  readonly ended: () => CliError;
}

/** The HTTP API, with one key. */
export class Client {
  readonly url: string;
  readonly #key: string | KeySource | null;

  /** @param key null for routes that need none */
  constructor(url: string, key: string | KeySource | null) {
    this.url = url;
    this.#key = key;
  }

  /** The same server, with another key. */
  as(key: string | null): Client {
    return new Client(this.url, key);
  }

  async #authorization(): Promise<{ readonly authorization?: string }> {
    if (this.#key === null) return {};
    return { authorization: `Bearer ${typeof this.#key === 'string' ? this.#key : await this.#key.current()}` };
  }

  /** @throws CliError with the fault code of the problem in the answer, or `http` where there is no answer */
  async request(path: string, ask: RequestOptions = {}): Promise<Response> {
    const answer = await this.#fetch(path, ask);
    if (answer.ok) return answer;
    const about = ask.about ?? thingInPath(path);
    if (answer.status === 401 && this.#key !== null && typeof this.#key !== 'string') throw this.#key.ended();
    throw await problemOf(answer, ask.method ?? 'GET', path, {
      about,
      suggest: async () => (about === null ? '' : await this.#suggestionFor(about)),
    });
  }

  /** Resolves with any answer, whatever its status. @throws CliError `http` where there is no answer */
  async answer(path: string, ask: RequestOptions = {}): Promise<Response> {
    return await this.#fetch(path, ask);
  }

  /** The names that this key may list decide what is suggested. A list that can't be had is no second error. */
  async #suggestionFor(about: NamedThing): Promise<string> {
    try {
      const answer = await this.#fetch(`${THINGS[about.thing].path}?limit=${LISTED_MAX}`, { timeoutMs: SUGGESTION_MS });
      return answer.ok ? suggestionOf(about, thingsIn(about.thing, await answer.json())) : '';
    } catch {
      return '';
    }
  }

  async #fetch(
    path: string,
    { method = 'GET', body, headers = {}, timeoutMs = REQUEST_TIMEOUT_MS, signal }: RequestOptions,
  ): Promise<Response> {
    const isBytes = body instanceof Uint8Array || body instanceof ReadableStream;
    const type =
      body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
    const authorization = await this.#authorization();
    try {
      return await fetch(`${this.url}${path}`, {
        method,
        headers: { ...authorization, ...type, ...headers },
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
      // A body that is read from a file may be what failed.
      const exit = body instanceof ReadableStream ? EXIT.failed : exitWithoutAnswer(cause, method === 'GET');
      const more = exit === EXIT.unknown ? '; what was asked may have happened: look before you repeat it' : '';
      throw new CliError('http', `${this.url} does not answer: is it running?${more}`, exit, { cause });
    }
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
        ...(await this.#authorization()),
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

/** The same, with what the request named: a thing, or the id or name in its path. */
function nothingAt(path: string, about: NamedThing | null): string {
  const named = (path.split('?')[0] ?? '').split('/')[3];
  if (about === null && (named === undefined || named === '')) return NOTHING_HERE;
  const what = about === null ? `\`${decodeURIComponent(named ?? '')}\`` : `${about.thing} \`${about.name}\``;
  return `there is no ${what} here, or this key may not see it`;
}

interface Suggesting {
  readonly about: NamedThing | null;
  readonly suggest: () => Promise<string>;
}

async function problemOf(
  answer: Response,
  method: string,
  path: string,
  { about, suggest }: Suggesting,
): Promise<CliError> {
  const problem = (await answer.json().catch(() => ({}))) as ProblemBody;
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const said = text(problem.detail) ?? text(problem.title) ?? `status ${answer.status}`;
  const code = text(problem.code) ?? 'http';
  // What isn't there and what the caller may not see are answered alike, so the answer says no more than that.
  const isBare = [problem.title, NOTHING_HERE, FAULTS['tool.unknown'].message].includes(said);
  const isNowhere = code === (about?.code ?? 'not_found');
  const message = isNowhere
    ? `${isBare ? nothingAt(path, about) : said}${said.includes('did you mean') ? '' : await suggest()}`
    : said;
  const pointer = text(problem.pointer);
  return new CliError(
    code,
    `${message}${pointer === undefined ? '' : `, at \`${pointer}\``} (${method} ${path.split('?')[0]})`,
    exitOfFault(code, answer.status, method === 'GET'),
  );
}
