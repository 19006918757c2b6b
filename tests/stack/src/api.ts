// SPDX-License-Identifier: Apache-2.0

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
  readonly text: string;
}

/** A response body as a test reads it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test's reading of a wire format is checked by its expectations
export type JsonValue = any;

/** An HTTP client of the public API. */
export class Api {
  readonly url: string;
  readonly key: string | undefined;

  constructor(url: string, key?: string) {
    this.url = url;
    this.key = key;
  }

  as(key: string): Api {
    return new Api(this.url, key);
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<JsonValue>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as JsonValue) : null,
    };
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer<JsonValue>> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<Answer<JsonValue>> {
    return this.request('POST', path, body, headers);
  }

  /** POSTs, and throws with the whole response unless it is a success. */
  async must(path: string, body: unknown = {}): Promise<JsonValue> {
    const answer = await this.post(path, body);
    if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }
}
