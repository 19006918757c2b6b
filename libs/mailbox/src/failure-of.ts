// SPDX-License-Identifier: Apache-2.0
//
// What went wrong, from the error of the IMAP client. INVARIANT (no secrets): the error itself is not kept, since it
// may have the command that was sent and the server's words.
import type { ImapFlowError } from 'imapflow';
import { MailboxError, type MailboxFailure } from './mailbox-error.ts';

/** The client's bounds. */
const TOO_LARGE = new Set([
  'LineTooLarge',
  'LiteralTooLarge',
  'ResponseTooLarge',
  'TooManyTokens',
  'TooManyResponses',
  'MAX_IMAP_NESTING_REACHED',
]);
const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT']);
const BROKEN = new Set([
  'NoConnection',
  'EConnectionClosed',
  'StateLogout',
  'ClosedAfterConnectText',
  'ClosedAfterConnectTLS',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);
/** Response codes of RFC 5530, 3501, 4315 and 7889 that a person understands. Any other is a server's own text. */
const RESPONSE_CODES = new Set([
  'ALREADYEXISTS',
  'APPENDLIMIT',
  'AUTHENTICATIONFAILED',
  'AUTHORIZATIONFAILED',
  'CANNOT',
  'CONTACTADMIN',
  'EXPIRED',
  'INUSE',
  'LIMIT',
  'NONEXISTENT',
  'NOPERM',
  'OVERQUOTA',
  'PRIVACYREQUIRED',
  'SERVERBUG',
  'TOOBIG',
  'TRYCREATE',
  'UNAVAILABLE',
]);

/** What Node.js says of a certificate or a handshake: `ERR_TLS_CERT_ALTNAME_INVALID`, `CERT_HAS_EXPIRED`. */
const TLS_CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

const WORDS: Readonly<Record<MailboxFailure, string>> = {
  unreachable: 'the connection to the server broke off',
  tls: 'the connection could not be made private, so no password was sent',
  auth: 'the server refused the login',
  folder_missing: 'the mailbox has no such folder',
  refused: 'the server refused what it was asked',
  malformed: "the server's answer is none of IMAP",
  too_large: 'the server sent, or was to take, more than is allowed',
  timeout: 'the server did not answer in time',
};

/** Whether the server itself answered a command with NO or BAD, so that it did not do what it was asked. */
export const isAnswered = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  ['NO', 'BAD'].includes(String((error as ImapFlowError).responseStatus));

/** @param error what the IMAP client threw */
export function failureOf(error: unknown): MailboxError {
  if (error instanceof MailboxError) return error;
  const { code, serverResponseCode } = (error ?? {}) as ImapFlowError;
  const reason = reasonOf((error ?? {}) as ImapFlowError);
  const known = reason === 'tls' ? code : serverResponseCode;
  const isKnown = known !== undefined && (reason === 'tls' ? TLS_CODE.test(known) : RESPONSE_CODES.has(known));
  return new MailboxError(reason, isKnown ? `${WORDS[reason]}: \`${known}\`` : WORDS[reason]);
}

function reasonOf(error: ImapFlowError): MailboxFailure {
  const code = String(error.code ?? '');
  const answer = String(error.serverResponseCode ?? '').toUpperCase();
  if (TIMEOUTS.has(code)) return 'timeout';
  if (error.tlsFailed === true) return 'tls';
  if (TOO_LARGE.has(code) || answer === 'APPENDLIMIT' || answer === 'TOOBIG') return 'too_large';
  // RFC 5530: the account is there, and what checks it is not.
  if (error.authenticationFailed === true) return answer === 'UNAVAILABLE' ? 'refused' : 'auth';
  if (error.mailboxMissing === true || answer === 'TRYCREATE' || answer === 'NONEXISTENT') return 'folder_missing';
  if (isAnswered(error)) return 'refused';
  if (BROKEN.has(code)) return 'unreachable';
  return 'malformed';
}
