// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { MailAddress } from './addresses.ts';

/** Recipients of one field. A mail to more people is a mailing, and none that an agent drafts. */
export const DRAFT_RECIPIENTS_MAX = 50;
/** It stays readable in a list of messages, and on the screen where a person reviews it. */
export const DRAFT_SUBJECT_CHARS_MAX = 500;
/** Bytes of UTF-8. */
export const DRAFT_BODY_BYTES_MAX = 1_048_576;

const Recipients = (description: string) =>
  Type.Array(MailAddress, { minItems: 1, maxItems: DRAFT_RECIPIENTS_MAX, description });

/**
 * An identifier of RFC 5322, section 3.6.4, with its angle brackets. Its length keeps the header line under the 998
 * characters that a line may have.
 */
export const MessageIdHeader = Type.String({
  pattern: '^<[!-;=?A-~]+@[!-;=?A-~]+>$',
  maxLength: 250,
  description: 'a Message-ID with its angle brackets',
});

/** What an agent may put into a draft. There is no HTML: a person reviews what is written here, and nothing else. */
export const Draft = Type.Object(
  {
    to: Recipients('who it is addressed to'),
    cc: Type.Optional(Recipients('who gets a copy')),
    bcc: Type.Optional(Recipients('who gets a copy that the others are not told of')),
    subject: Type.String({
      minLength: 1,
      maxLength: DRAFT_SUBJECT_CHARS_MAX,
      pattern: '^(?!\\s)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*(?<!\\s)$',
      description: 'one line, without space at its ends',
    }),
    body: Type.String({
      maxLength: DRAFT_BODY_BYTES_MAX,
      pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
      description: 'plain text',
    }),
    reply_to_message_id: Type.Optional({ ...MessageIdHeader, description: 'the Message-ID that it answers' }),
  },
  { additionalProperties: false },
);
export type Draft = Static<typeof Draft>;
