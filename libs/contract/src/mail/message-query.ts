// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** Messages of one answer. */
export const MESSAGES_MAX = 50;
/** Characters of a message's text that are answered; a model reads an excerpt, and asks a person for the rest. */
export const MESSAGE_TEXT_CHARS_MAX = 4_000;

/** A term that the server looks for. Control characters would end the command that it is sent in. */
const Term = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description });

/** A day, since IMAP compares no times (RFC 3501, section 6.4.4). */
const Day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description });

/** Which messages are wanted. Those that match all that is given are answered, the newest first. */
export const MessageQuery = Type.Object(
  {
    folder: Type.Optional(Term('the folder; absent: `INBOX`')),
    from: Type.Optional(Term('part of the sender')),
    to: Type.Optional(Term('part of a recipient')),
    subject: Type.Optional(Term('part of the subject')),
    text: Type.Optional(Term('part of the headers or the body')),
    since: Type.Optional(Day('received on this day or later, by the date of the server: `YYYY-MM-DD`')),
    before: Type.Optional(Day('received before this day: `YYYY-MM-DD`')),
    unseen: Type.Optional(Type.Boolean({ description: 'true: not read yet; false: read' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MESSAGES_MAX, description: '20 by default' })),
  },
  { additionalProperties: false },
);
export type MessageQuery = Static<typeof MessageQuery>;

const closed = { additionalProperties: false } as const;
const Correspondent = Type.Object({ name: Type.String(), address: Type.String() }, closed);

/** One message. All of it but `uid` and `folder` was written by others. */
export const FoundMessage = Type.Object(
  {
    uid: Type.Integer({ minimum: 1, description: 'its number in the folder' }),
    folder: Type.String(),
    date: Type.Union([Type.String({ description: 'RFC 3339' }), Type.Null()]),
    from: Type.Array(Correspondent),
    to: Type.Array(Correspondent),
    subject: Type.String(),
    text: Type.String({ description: 'the beginning of its text; HTML is reduced to text' }),
    text_truncated: Type.Boolean({ description: 'there is more text than this' }),
    has_attachments: Type.Boolean(),
    message_id: Type.Union([Type.String(), Type.Null()]),
  },
  closed,
);
export type FoundMessage = Static<typeof FoundMessage>;

export const FoundMessages = Type.Object(
  {
    folder: Type.String(),
    matched: Type.Integer({ minimum: 0, description: 'how many messages match, those beyond the limit included' }),
    messages: Type.Array(FoundMessage, { maxItems: MESSAGES_MAX }),
  },
  closed,
);
export type FoundMessages = Static<typeof FoundMessages>;
