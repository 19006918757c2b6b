// SPDX-License-Identifier: Apache-2.0
import { faultOfStatus, ModelError, readRetryAfter } from '@writ/agent-loop';
import { CallArguments } from '@writ/dialects';
import { parseJson, type JsonValue } from '@writ/digest';

export interface ProviderOptions {
  readonly apiKey: string;
  readonly model: string;
  /** The provider's own by default. */
  readonly baseUrl?: string | undefined;
  /** Timeout without any data, before the reply begins and within it. */
  readonly idleMs?: number | undefined;
  /** Limit on the tokens of a reply; `REPLY_TOKENS_MAX` if the provider's API requires one. */
  readonly replyTokensMax?: number | undefined;
}

/** Models that think first send nothing for long, which can't be distinguished from a dead connection. */
export const IDLE_MS = 120_000;
/** Enough for a long edit; the loop treats a truncated reply as an end. */
export const REPLY_TOKENS_MAX = 8_192;

export interface Watch {
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Maps an error of the provider's library. */
  readonly faultOf: (error: unknown, hasBegun: boolean) => ModelError;
}

/**
 * Opens a provider's stream and forwards its pieces. An error before the end becomes a `ModelError`, except that an
 * abort of the signal is thrown unchanged. Libraries end an aborted stream without an error, so the signal is checked
 * explicitly.
 */
export async function* withTimeout<T>(
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
    // A consumer that stops early would otherwise keep the connection open.
    own.abort(silence);
  }
}

/** A stream that ended before the provider marked the reply as complete. */
export const interrupted = (cause?: unknown): ModelError =>
  new ModelError('interrupted', 'the reply broke off before it was whole', { cause });

/** Maps an error without an HTTP status: text that is no JSON, or a connection that failed or broke. */
export function transportFault(error: unknown, hasBegun: boolean): ModelError {
  if (isSyntaxError(error))
    return new ModelError('malformed', `what came is not the provider's format: ${error.message}`, { cause: error });
  return hasBegun
    ? interrupted(error)
    : new ModelError('unavailable', `the provider was not reached: ${innermostMessage(error)}`, { cause: error });
}

/** By its name: `Response.json` throws the SyntaxError of another realm. */
const isSyntaxError = (error: unknown): error is SyntaxError =>
  (error as { readonly name?: unknown } | null)?.name === 'SyntaxError';

/** Maps an HTTP error response. */
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

/** The innermost message: libraries wrap it in "fetch failed". */
function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}

/** A call's arguments, or none and why the call does not run, in words for the model. */
interface ReadArguments {
  readonly args: Record<string, unknown>;
  readonly problem?: string;
}

/** Parses arguments that a provider sent in pieces, by the rules of all dialects. */
export function readArguments(pieces: readonly unknown[]): ReadArguments {
  const collected = new CallArguments();
  for (const piece of pieces) collected.add(strict(piece));
  const read = collected.read();
  if ('problem' in read) return { args: {}, problem: `the arguments ${read.problem}: the call was not run` };
  return { args: { ...read.args } };
}

/** A provider's library has parsed values already, but not strictly, so they are parsed again. */
const strict = (piece: unknown): JsonValue | undefined =>
  (typeof piece === 'object' && piece !== null ? parseJson(JSON.stringify(piece)) : piece) as JsonValue | undefined;
