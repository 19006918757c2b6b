// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, reasonOf } from '../failure.ts';

/** What the API answered. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Of a JSON object; empty for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One question may take this long, in milliseconds: a call may be waited for so long by the API itself. */
const ASK_MS = 75_000;
/** Between two tries, in milliseconds. */
const RETRY_MS = 500;
/** Too many requests, and whatever may go away by itself. */
const isPassing = (status: number): boolean => status === 429 || status >= 500;

function parseBody(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : {};
  } catch {
    return {};
  }
}

/** Speaks HTTP with the API as a client that tries again what may pass, until a time. */
export class SmokeApi {
  readonly #url: string;
  readonly #until: number;
  readonly #now: () => number;

  /** @param until when it gives up, by the clock `now`, in milliseconds */
  constructor(url: string, until: number, now: () => number) {
    this.#url = url.replace(/\/+$/, '');
    this.#until = until;
    this.#now = now;
  }

  /**
   * Asks until the answer is a success, or one that no second try changes.
   *
   * @param isWorthRetry what else may pass, such as a receipt that is pending
   * @throws Failure with what was asked and what came of it
   */
  async ask(
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
      const passes = typeof answer === 'string' || isPassing(answer.status) || isWorthRetry(answer);
      if (!passes || this.#now() > this.#until) {
        const said =
          typeof answer === 'string' ? `gave no answer (${answer})` : `answered ${answer.status}: ${answer.text}`;
        throw new Failure(`${method} ${this.#url}${path} ${said}`);
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
      signal: AbortSignal.timeout(ASK_MS),
    });
    const text = await response.text();
    return { status: response.status, text, body: parseBody(text) };
  }
}
