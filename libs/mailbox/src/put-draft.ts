// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { ImapFlow } from 'imapflow';
import type { MailboxSettings } from '@writ/contract';
import { failureOf, isAnswered } from './failure-of.ts';
import { MailboxError } from './mailbox-error.ts';
import { searchFolder } from './search-folder.ts';
import { inSession, type SessionOptions } from './session.ts';

/** A body of the greatest size whose every byte is quoted, with its line breaks. */
export const MESSAGE_BYTES_MAX = 4 * 1_048_576;

/** Where a draft is. Servers without UIDPLUS (RFC 4315) tell neither number. */
export interface StoredDraft {
  readonly folder: string;
  readonly uid: number | null;
  readonly uidvalidity: string | null;
  /** It was found there, and was not stored again. */
  readonly isOld: boolean;
}

export interface DraftOptions extends SessionOptions {
  /** With its angle brackets. A draft that has it and is in the folder already is not stored again. */
  readonly messageId?: string;
  /**
   * Called once, after the folder is found and before the message is sent. When it rejects, nothing is stored, and
   * `putDraft` rejects with the same.
   */
  readonly beforeStoring?: () => Promise<void>;
}

/** How far the storing of a draft went. */
interface Progress {
  isUnanswered: boolean;
  /** What `beforeStoring` rejected with. */
  refusal: { readonly error: unknown } | null;
}

/** As mail programs store drafts: it waits to be finished, and is no news to its author. */
const FLAGS = ['\\Draft', '\\Seen'];

/**
 * Stores a message in the folder of drafts. It sends no mail: IMAP can't.
 *
 * @param message what `draftMessage` made
 * @throws MailboxError; with `mayHaveStored` where the answer of the server is missing
 */
export async function putDraft(
  connection: Duplex,
  settings: MailboxSettings,
  password: string,
  message: Uint8Array,
  options: DraftOptions = {},
): Promise<StoredDraft> {
  if (message.length > MESSAGE_BYTES_MAX) {
    connection.destroy();
    throw new MailboxError('too_large', `a draft has ${MESSAGE_BYTES_MAX} bytes at most`);
  }
  const progress: Progress = { isUnanswered: false, refusal: null };
  try {
    return await inSession(connection, settings, password, options, async (client) => {
      const folder = await folderOf(client, settings);
      const old = options.messageId === undefined ? null : await draftIn(client, folder, options.messageId);
      if (old !== null) return old;
      await readyToStore(options, progress);
      return await append(client, folder, message, progress);
    });
  } catch (error) {
    if (progress.refusal !== null) throw progress.refusal.error;
    const { reason, message: words, cause } = failureOf(error);
    throw new MailboxError(reason, words, { mayHaveStored: progress.isUnanswered, cause });
  }
}

/**
 * Finds a draft by its Message-ID, where it is unknown whether it was stored. Null: the folder has none.
 *
 * @throws MailboxError
 */
export async function findDraft(
  connection: Duplex,
  settings: MailboxSettings,
  password: string,
  messageId: string,
  options: SessionOptions = {},
): Promise<StoredDraft | null> {
  return await inSession(
    connection,
    settings,
    password,
    options,
    async (client) => await draftIn(client, await folderOf(client, settings), messageId),
  );
}

async function readyToStore({ beforeStoring }: DraftOptions, progress: Progress): Promise<void> {
  try {
    await beforeStoring?.();
  } catch (error) {
    progress.refusal = { error };
    throw error;
  }
}

/** The draft of that Message-ID in a folder, which is opened read-only. */
async function draftIn(client: ImapFlow, folder: string, messageId: string): Promise<StoredDraft | null> {
  const { uidValidity } = await client.mailboxOpen(folder, { readOnly: true });
  const [uid] = await searchFolder(client, { header: { 'message-id': messageId } });
  return uid === undefined ? null : { folder, uid, uidvalidity: uidValidity.toString(), isOld: true };
}

async function append(client: ImapFlow, folder: string, message: Uint8Array, progress: Progress): Promise<StoredDraft> {
  progress.isUnanswered = true;
  try {
    const stored = await client.append(folder, Buffer.from(message), FLAGS);
    if (stored === false || stored === undefined) throw new MailboxError('unreachable', 'the session has ended');
    progress.isUnanswered = false;
    return { folder, uid: stored.uid ?? null, uidvalidity: stored.uidValidity?.toString() ?? null, isOld: false };
  } catch (error) {
    // The client itself refuses what is above the limit that the server named, before it sends anything.
    const isUnsent = (error as { serverResponseCode?: unknown }).serverResponseCode === 'APPENDLIMIT';
    if (isAnswered(error) || isUnsent) progress.isUnanswered = false;
    throw error;
  }
}

/** The folder that the server marks (RFC 6154), unless one is set. One that is only named like one may be anything. */
async function folderOf(client: ImapFlow, { drafts }: MailboxSettings): Promise<string> {
  if (drafts !== undefined) return drafts;
  const marked = (await client.list()).find(({ flags }) => flags.has('\\Drafts'));
  if (marked === undefined)
    throw new MailboxError('folder_missing', 'the server marks no folder as that of drafts; set `drafts`');
  return marked.path;
}
