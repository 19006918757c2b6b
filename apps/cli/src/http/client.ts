// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import type { Static, TSchema } from 'typebox';
import { CliError } from '../cli-error.ts';

/** Longer than the longest wait that the API grants. */
const ANSWER_MS = 90_000;

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; bytes are sent as they are, and a stream of them as it comes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** milliseconds to wait for the answer, where that may be longer than usual */
  readonly waitMs?: number;
  /** ends a stream, which otherwise lasts as long as it likes */
  readonly signal?: AbortSignal;
}

/** The HTTP API with one key. */
export class Client {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** @throws CliError with the fault code of the problem that was answered, or `http` when nothing did */
  async ask(
    path: string,
    { method = 'GET', body, headers = {}, waitMs = ANSWER_MS, signal }: Ask = {},
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
        // A key must not follow to another address.
        redirect: 'error',
        signal: signal ?? AbortSignal.timeout(waitMs),
      });
    } catch (cause) {
      throw new CliError('http', `${this.url} does not answer: is it running?`, undefined, { cause });
    }
    if (!answer.ok) throw await problemOf(answer, method, path);
    return answer;
  }

  /** The same, read as the schema says. */
  async read<S extends TSchema>(schema: S, path: string, ask: Ask = {}): Promise<Static<S>> {
    const answer = await this.ask(path, ask);
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

interface Said {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly title?: unknown;
  readonly pointer?: unknown;
}

async function problemOf(answer: Response, method: string, path: string): Promise<CliError> {
  const said = (await answer.json().catch(() => ({}))) as Said;
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const words = text(said.detail) ?? text(said.title) ?? `status ${answer.status}`;
  const place = text(said.pointer);
  return new CliError(
    text(said.code) ?? 'http',
    `${words}${place === undefined ? '' : `, at \`${place}\``} (${method} ${path.split('?')[0]})`,
  );
}
