// SPDX-License-Identifier: Apache-2.0

export const MAILBOX_FAILURES = [
  /** The connection is broken, or the server ended it. */
  'unreachable',
  /** The connection could not be made private, so nothing secret was sent. */
  'tls',
  /** The server refused the login. */
  'auth',
  /** There is no such folder, or the server marks none as that of drafts. */
  'folder_missing',
  /** The server understood the request and refused it. */
  'refused',
  /** The server's answer is none of IMAP. */
  'malformed',
  /** The server sent, or would have had to take, more than is allowed. */
  'too_large',
  /** The time was over. */
  'timeout',
] as const;
export type MailboxFailure = (typeof MAILBOX_FAILURES)[number];

/**
 * Why a mailbox did not do what was asked. Neither the message nor a property repeats a password or a server's words.
 */
export class MailboxError extends Error {
  readonly reason: MailboxFailure;
  /** True when a message was on its way and the answer is missing: the server may have stored it. */
  readonly mayHaveStored: boolean;

  constructor(reason: MailboxFailure, message: string, { mayHaveStored = false, cause = undefined as unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MailboxError';
    this.reason = reason;
    this.mayHaveStored = mayHaveStored;
  }
}
