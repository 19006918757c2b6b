// SPDX-License-Identifier: Apache-2.0
export { ConnectionRelay, type RelayEvents } from './connection-relay.ts';
export { draftMessage, type DraftOrigin } from './draft-message.ts';
export { findMessages } from './find-messages.ts';
export { MAILBOX_FAILURES, MailboxError, type MailboxFailure } from './mailbox-error.ts';
export { PortConnection, sessionInThread } from './port-connection.ts';
export { findDraft, MESSAGE_BYTES_MAX, putDraft, type DraftOptions, type StoredDraft } from './put-draft.ts';
export type { SessionDone } from './session-messages.ts';
export type { SessionOptions } from './session.ts';
