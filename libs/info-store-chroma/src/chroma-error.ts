// SPDX-License-Identifier: Apache-2.0

/**
 * Why a request to a Chroma server failed:
 * - `unavailable`: there was no response, or the server is overloaded; nothing was changed
 * - `ambiguous`: a change may have happened, in part or whole
 * - `missing`: the server has no such collection
 * - `refused`: the server refused the request; nothing was changed
 * - `too_large`: the change needs more requests or bytes than are left; nothing was sent
 * - `malformed`: the server answered something that is no answer of Chroma's API
 */
export type ChromaReason = 'unavailable' | 'ambiguous' | 'missing' | 'refused' | 'too_large' | 'malformed';

/** A failed request to a Chroma server. Its message holds no text of documents. */
export class ChromaError extends Error {
  readonly reason: ChromaReason;

  constructor(reason: ChromaReason, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'ChromaError';
    this.reason = reason;
  }
}
