// SPDX-License-Identifier: Apache-2.0
import { parseMessage } from '@writ/contract';
import type { Static, TSchema } from 'typebox';

/** The longest wait that is asked for, and some time for the way. */
const ANSWER_MS = 90_000;

/** A problem (RFC 9457) that the API answered instead of what was asked for. */
export class ApiProblem extends Error {
  readonly status: number;
  /** A fault code, or `http` where the answer named none. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

export interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Speaks to the HTTP API with one key. */
export class Api {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** @throws ApiProblem for every status that is no success */
  async ask(path: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<Response> {
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

  /** The same, read as the schema says. */
  async read<S extends TSchema>(schema: S, path: string, ask: Ask = {}): Promise<Static<S>> {
    return parseMessage(schema, await (await this.ask(path, ask)).json());
  }
}

async function problemOf(answer: Response, what: string): Promise<ApiProblem> {
  const said: unknown = await answer.json().catch(() => ({}));
  const { code, detail, title } = said as { code?: unknown; detail?: unknown; title?: unknown };
  const words = [detail, title].find((text) => typeof text === 'string' && text !== '');
  return new ApiProblem(
    answer.status,
    typeof code === 'string' ? code : 'http',
    `${what}: ${String(words ?? answer.status)}`,
  );
}
