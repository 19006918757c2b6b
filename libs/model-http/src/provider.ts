// SPDX-License-Identifier: Apache-2.0
import { faultOfStatus, ModelError, readRetryAfter } from '@writ/agent-loop';
import { CallArguments } from '@writ/dialects';
import { parseJson, type JsonValue } from '@writ/digest';

export interface ProviderOptions {
  readonly apiKey: string;
  readonly model: string;
  /** The provider's own unless said. */
  readonly baseUrl?: string | undefined;
  /** How long nothing may come, before the reply begins and within it. */
  readonly idleMs?: number | undefined;
  /** Most tokens of a reply; `REPLY_TOKENS_MAX` where the provider's API wants it said. */
  readonly replyTokensMax?: number | undefined;
}

/** Models that think before they speak are silent for long; a dead connection isn't told from one. */
export const IDLE_MS = 120_000;
/** Room for a long edit; the loop treats a reply that was cut off as an end. */
export const REPLY_TOKENS_MAX = 8_192;

export interface Watch {
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** What is behind an error of the provider's library. */
  readonly faultOf: (error: unknown, hasBegun: boolean) => ModelError;
}

/**
 * Opens a provider's stream and hands on its pieces. Whatever keeps it from its end becomes a `ModelError`, but an
 * abort of the signal, which is thrown as it is. Libraries end a stream in silence when it is aborted: so that is
 * asked, not believed.
 */
export async function* watched<T>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  { idleMs, signal, faultOf }: Watch,
): AsyncGenerator<T, void, void> {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  const silence = new ModelError('timeout', `nothing came for ${idleMs} ms`);
  let timer = setTimeout(() => own.abort(silence), idleMs);
  let hasBegun = false;
  try {
    for await (const piece of await open(both)) {
      clearTimeout(timer);
      hasBegun = true;
      yield piece;
      timer = setTimeout(() => own.abort(silence), idleMs);
    }
    both.throwIfAborted();
  } catch (error) {
    both.throwIfAborted();
    throw error instanceof ModelError ? error : faultOf(error, hasBegun);
  } finally {
    clearTimeout(timer);
    // Who stops listening early still holds the connection otherwise.
    own.abort(silence);
  }
}

/** A stream that ended before the provider said that the reply was whole. */
export const interrupted = (cause?: unknown): ModelError =>
  new ModelError('interrupted', 'the reply broke off before it was whole', { cause });

/** What an error without an HTTP status is: text that is no JSON, or a connection that was never made or broke. */
export function transportFault(error: unknown, hasBegun: boolean): ModelError {
  if (isSyntaxError(error))
    return new ModelError('malformed', `what came is not the provider's format: ${error.message}`, { cause: error });
  return hasBegun
    ? interrupted(error)
    : new ModelError('unavailable', `the provider was not reached: ${wordsOf(error)}`, { cause: error });
}

/** By its name: `Response.json` throws the SyntaxError of the realm that fetched. */
const isSyntaxError = (error: unknown): error is SyntaxError =>
  (error as { readonly name?: unknown } | null)?.name === 'SyntaxError';

/** What an HTTP answer that is no reply means. */
export function statusFault(
  status: number,
  text: string,
  retryAfter: string | null | undefined,
  cause: unknown,
): ModelError {
  return new ModelError(faultOfStatus(status, text), `${status}: ${text}`, {
    retryAfterMs: readRetryAfter(retryAfter, Date.now()),
    cause,
  });
}

/** The innermost words: libraries wrap "fetch failed" around what happened. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? wordsOf(error.cause) : error.message;
}

/** A call's arguments, or none and why it does not run, in words for the model. */
interface ReadArguments {
  readonly args: Record<string, unknown>;
  readonly problem?: string;
}

/** Reads arguments as a provider sent them, in its pieces, by the rule of all dialects. */
export function readArguments(pieces: readonly unknown[]): ReadArguments {
  const given = new CallArguments();
  for (const piece of pieces) given.add(strict(piece));
  const read = given.read();
  if ('problem' in read) return { args: {}, problem: `the arguments ${read.problem}: the call was not run` };
  return { args: { ...read.args } };
}

/** A provider's library has read values already, and not as strictly: they are read again. */
const strict = (piece: unknown): JsonValue | undefined =>
  (typeof piece === 'object' && piece !== null ? parseJson(JSON.stringify(piece)) : piece) as JsonValue | undefined;
