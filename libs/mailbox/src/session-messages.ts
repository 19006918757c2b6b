// SPDX-License-Identifier: Apache-2.0
// Messages between a connection, which the event loop of a service has, and the thread that speaks IMAP over it.
import type { MailboxFailure } from './mailbox-error.ts';

export type ToThread =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** the server sends no more */
  | { readonly kind: 'end' }
  /** the connection is broken */
  | { readonly kind: 'broken' }
  /** the answer to `announce`: whether the draft may be stored */
  | { readonly kind: 'announced'; readonly may: boolean }
  | { readonly kind: 'ping' };

export type FromThread =
  | { readonly kind: 'open' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** bytes that were read, so that as many more may come */
  | { readonly kind: 'consumed'; readonly bytes: number }
  | { readonly kind: 'end' }
  /** the message is about to be sent */
  | { readonly kind: 'announce' }
  /** the answer to `ping`, with the time that the thread computed since it opened */
  | { readonly kind: 'pong'; readonly busyMs: number };

/** What a session ended with. A thread passes on no class of errors. */
export type SessionDone<T> =
  | { readonly value: T }
  | { readonly failed: { readonly reason: MailboxFailure; readonly message: string; readonly mayHaveStored: boolean } };
