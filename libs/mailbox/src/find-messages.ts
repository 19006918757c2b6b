// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { FetchMessageObject, ImapFlow, MessageAddressObject, SearchObject } from 'imapflow';
import {
  type FoundMessage,
  type FoundMessages,
  type MailboxSettings,
  Fault,
  MAIL_ADDRESS_CHARS_MAX,
  MessageQuery,
  parseMessage,
} from '@writ/contract';
import { headerLine, PART_BYTES_MAX, partsOf, readText } from './message-text.ts';
import { searchFolder } from './search-folder.ts';
import { inSession, type SessionOptions } from './session.ts';

const LIMIT_USUAL = 20;
const CORRESPONDENTS_MAX = 50;
/** RFC 5322, section 2.1.1: a line of a header. */
const HEADER_CHARS_MAX = 998;

/**
 * Finds messages of one folder, the newest first. Nothing is changed: the folder is opened by EXAMINE, and texts are
 * fetched by BODY.PEEK, so that no message counts as read (RFC 3501, sections 6.3.2 and 6.4.5).
 *
 * @throws MailboxError, or Fault `request.malformed` for a query that is none
 */
export async function findMessages(
  connection: Duplex,
  settings: MailboxSettings,
  password: string,
  query: MessageQuery,
  options: SessionOptions = {},
): Promise<FoundMessages> {
  const criteria = criteriaOf(parseMessage(MessageQuery, query));
  return await inSession(connection, settings, password, options, async (client) => {
    const folder = query.folder ?? 'INBOX';
    await client.mailboxOpen(folder, { readOnly: true });
    const found = await searchFolder(client, criteria);
    const newest = [...found.slice(-(query.limit ?? LIMIT_USUAL))].reverse();
    return { folder, matched: found.length, messages: await read(client, folder, newest) };
  });
}

function criteriaOf({ from, to, subject, text, since, before, unseen }: MessageQuery): SearchObject {
  const criteria: SearchObject = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(subject === undefined ? {} : { subject }),
    ...(text === undefined ? {} : { text }),
    ...(since === undefined ? {} : { since: dayOf(since, '/since') }),
    ...(before === undefined ? {} : { before: dayOf(before, '/before') }),
    ...(unseen === undefined ? {} : { seen: !unseen }),
  };
  return Object.keys(criteria).length === 0 ? { all: true } : criteria;
}

function dayOf(text: string, pointer: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new Fault('request.malformed', `\`${pointer}\` is no day of the calendar`, { pointer });
  return day;
}

async function read(client: ImapFlow, folder: string, uids: readonly number[]): Promise<FoundMessage[]> {
  if (uids.length === 0) return [];
  const wanted = { uid: true, envelope: true, bodyStructure: true, internalDate: true };
  const rows = new Map<number, FetchMessageObject>();
  // A server may send others that were not asked for, and leave out those that are gone by now.
  for await (const row of client.fetch([...uids], wanted, { uid: true }))
    if (uids.includes(row.uid)) rows.set(row.uid, row);
  const messages: FoundMessage[] = [];
  for (const uid of uids) {
    const row = rows.get(uid);
    if (row !== undefined) messages.push(await foundMessage(client, folder, row));
  }
  return messages;
}

async function foundMessage(client: ImapFlow, folder: string, row: FetchMessageObject): Promise<FoundMessage> {
  const { uid, envelope, bodyStructure, internalDate } = row;
  const { text: part, has_attachments } = partsOf(bodyStructure);
  const partial = part && { key: part.part, start: 0, maxLength: PART_BYTES_MAX };
  const fetched = partial && (await client.fetchOne(String(uid), { uid: true, bodyParts: [partial] }, { uid: true }));
  const bytes = (part && fetched && fetched.bodyParts?.get(part.part)) || Buffer.alloc(0);
  return {
    uid,
    folder,
    date: isoDate(envelope?.date) ?? isoDate(internalDate),
    from: correspondents(envelope?.from),
    to: correspondents(envelope?.to),
    subject: headerLine(envelope?.subject, HEADER_CHARS_MAX),
    ...(part === null ? { text: '', text_truncated: false } : readText(bytes, part)),
    has_attachments,
    message_id: headerLine(envelope?.messageId, HEADER_CHARS_MAX) || null,
  };
}

function isoDate(value: unknown): string | null {
  const date = value instanceof Date ? value : new Date(typeof value === 'string' ? value : NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

const correspondents = (list: readonly MessageAddressObject[] | undefined): { name: string; address: string }[] =>
  (list ?? [])
    .slice(0, CORRESPONDENTS_MAX)
    .map(({ name, address }) => ({
      name: headerLine(name, HEADER_CHARS_MAX),
      address: headerLine(address, MAIL_ADDRESS_CHARS_MAX),
    }));
