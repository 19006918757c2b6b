// SPDX-License-Identifier: Apache-2.0

/** What the client must know of a route to send its request. Generated from the API's own document. */
export interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** parameters that are the rest of the path */
  readonly rest?: readonly string[];
  /** `json`, or the media type of bytes; absent: no body */
  readonly body?: string;
  readonly query?: true;
  /** list: JSON of one page of a list; download: bytes or text; events: Server-Sent Events */
  readonly answer: 'json' | 'list' | 'download' | 'events';
  /** where the request takes an idempotency key */
  readonly keyed?: 'header' | 'body';
  /** the same request may arrive twice, also without a key */
  readonly repeatable?: true;
}
