// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, reasonOf } from '../failure.ts';

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The JSON object; empty for any other body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The timeout of one request, in milliseconds: the API itself may wait almost so long for a call. */
const REQUEST_TIMEOUT_MS = 75_000;
/** Between two tries, in milliseconds. */
const RETRY_MS = 500;
/** Statuses that may pass by themselves: too many requests, and server errors. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

function parseBody(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : {};
  } catch {
    return {};
  }
}

/** An HTTP client of the API that retries transient failures until a deadline. */
export class SmokeApi {
  readonly #url: string;
  readonly #until: number;
  readonly #now: () => number;

  /** @param until the deadline by the clock `now`, in milliseconds */
  constructor(url: string, until: number, now: () => number) {
    this.#url = url.replace(/\/+$/, '');
    this.#until = until;
    this.#now = now;
  }

  /**
   * Repeats a request until the answer is a success, or one that no retry changes.
   *
   * @param isWorthRetry tells which other answers may pass, such as a pending receipt
   * @throws Failure with the request and its result
   */
  async request(
    method: 'GET' | 'POST',
    path: string,
    {
      key,
      body,
      isWorthRetry = () => false,
    }: { key?: string; body?: unknown; isWorthRetry?: (answer: Answer) => boolean } = {},
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.#once(method, path, key, body).catch((error: unknown) => reasonOf(error));
      if (typeof answer !== 'string' && answer.status < 300) return answer;
      const isRetryable = typeof answer === 'string' || isTransient(answer.status) || isWorthRetry(answer);
      if (!isRetryable || this.#now() > this.#until) {
        const description =
          typeof answer === 'string' ? `gave no answer (${answer})` : `answered ${answer.status}: ${answer.text}`;
        throw new Failure(`${method} ${this.#url}${path} ${description}`);
      }
      await delay(RETRY_MS);
    }
  }

  async #once(method: string, path: string, key: string | undefined, body: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, text, body: parseBody(text) };
  }
}
