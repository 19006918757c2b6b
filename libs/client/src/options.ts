// SPDX-License-Identifier: Apache-2.0

/**
 * An `AbortSignal`, by the members that each has. The published types name nothing of a platform, so that they compile
 * with the types of any.
 */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** Options of one request. */
export interface RequestOptions {
  /** ends the request: it rejects with the signal's reason. Pass an `AbortSignal` */
  readonly signal?: Signal;
  /** milliseconds for the request with all of its retries; default: 120,000 */
  readonly timeoutMs?: number;
  /** how often a failed attempt is repeated, where that makes sense; default: 4 */
  readonly retries?: number;
  /** headers to add, such as `traceparent` */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * for changes of what has an `ETag`: the answer that was read, or a tag such as the SHA-256 of a file. In another
   * state nothing is changed, and the error has the code `precondition.failed`
   */
  readonly ifMatch?: object | string;
  /** for requests that take one; default: a new one, the same for all attempts */
  readonly idempotencyKey?: string;
}
