// SPDX-License-Identifier: Apache-2.0
export { draftMessage, type DraftOrigin } from './draft-message.ts';
export { findMessages } from './find-messages.ts';
export { MAILBOX_FAILURES, MailboxError, type MailboxFailure } from './mailbox-error.ts';
export { findDraft, MESSAGE_BYTES_MAX, putDraft, type DraftOptions, type StoredDraft } from './put-draft.ts';
export type { SessionOptions } from './session.ts';
