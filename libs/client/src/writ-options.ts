// SPDX-License-Identifier: Apache-2.0
import type { RequestOptions } from './options.ts';

/** Settings of a client. */
export interface WritOptions extends Pick<RequestOptions, 'timeoutMs' | 'retries' | 'headers'> {
  /** the address of the API, such as `http://127.0.0.1:7480` */
  readonly url: string | undefined;
  /** an API key or an access token; null for the routes that need none, and where a browser sends its session */
  readonly apiKey: string | null | undefined;
  /** instead of the platform's `fetch`, for example to go through a proxy */
  readonly fetch?: (url: string, init: never) => Promise<unknown>;
}
