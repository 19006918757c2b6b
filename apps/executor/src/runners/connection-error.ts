// SPDX-License-Identifier: Apache-2.0
import { isNativeError } from 'node:util/types';

/** How libuv and Node's streams name a connection that broke. */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTCONN',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/** How the parser of HTTP and TLS name an answer that isn't one: `HPE_INVALID_CHUNK_SIZE`, `ERR_SSL_BAD_DECRYPT`. */
const GARBLED = /^(?:HPE|ERR_SSL)_[A-Z0-9_]+$/;

/**
 * Whether a connection broke, or the other side sent what is no answer. INVARIANT (bugs stay bugs): the list is closed.
 * A database, a file system and Node's checks of arguments set a `code`, too, and are no matter of the other side.
 */
export function isConnectionError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && (BROKEN.has(code) || GARBLED.test(code));
}
