// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import type { Static, TSchema } from 'typebox';

/** The longest requested wait, and some time for the network. */
const ANSWER_MS = 90_000;

/** A problem (RFC 9457) in place of the expected answer. */
export class ApiProblem extends Error {
  readonly status: number;
  /** A fault code, or `http` where the answer has none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of the HTTP API with one key. */
export class Api {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** @throws ApiProblem for every status but a success */
  async ask(path: string, { method = 'GET', body, headers = {} }: RequestOptions = {}): Promise<Response> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...json, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!answer.ok) throw await problemOf(answer, `${method} ${path}`);
    return answer;
  }

  /** The same, parsed by the schema. */
  async read<S extends TSchema>(schema: S, path: string, ask: RequestOptions = {}): Promise<Static<S>> {
    return parseMessage(schema, await (await this.ask(path, ask)).json());
  }
}

async function problemOf(answer: Response, what: string): Promise<ApiProblem> {
  const output: unknown = await answer.json().catch(() => ({}));
  const { code, detail, title } = output as { code?: unknown; detail?: unknown; title?: unknown };
  const words = [detail, title].find((text) => typeof text === 'string' && text !== '');
  return new ApiProblem(
    answer.status,
    typeof code === 'string' ? code : 'http',
    `${what}: ${String(words ?? answer.status)}`,
  );
}
