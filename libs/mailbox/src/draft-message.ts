// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a draft. INVARIANT (nothing beside the draft): the message has the headers that are set here and no
// other, and the recipients of the draft and no other. The schema of a draft lets no line break into a header.
import MailComposer from 'nodemailer/lib/mail-composer';
import {
  Draft,
  DRAFT_BODY_BYTES_MAX,
  Fault,
  hiddenInBody,
  hiddenInSubject,
  MailAddress,
  MessageIdHeader,
  parseMessage,
} from '@writ/contract';

export interface DraftOrigin {
  /** The address that it is from. */
  readonly from: string;
  readonly date: Date;
  /** With its angle brackets. */
  readonly messageId: string;
}

/**
 * Composes a draft (RFC 5322, with encoded words of RFC 2047). The same draft with the same origin gives the same
 * bytes, so that a digest of them says what a person saw. It keeps `Bcc`: a person's program sends the draft later.
 *
 * @throws Fault `request.malformed` for a draft or an origin that no message can be made of
 */
export async function draftMessage(draft: Draft, { from, date, messageId }: DraftOrigin): Promise<Buffer> {
  const { to, cc, bcc, subject, body, reply_to_message_id: answered } = parseMessage(Draft, draft);
  verifyTexts(subject, body);
  if (Number.isNaN(date.getTime())) throw new Fault('request.malformed', 'the date of a draft is none');
  const composed = new MailComposer({
    from: only(parseMessage(MailAddress, from)),
    to: to.map(only),
    ...(cc === undefined ? {} : { cc: cc.map(only) }),
    ...(bcc === undefined ? {} : { bcc: bcc.map(only) }),
    subject,
    messageId: parseMessage(MessageIdHeader, messageId),
    date,
    ...(answered === undefined ? {} : { inReplyTo: answered, references: answered }),
    alternatives: [
      {
        contentType: 'text/plain; charset=utf-8',
        content: withLineEnds(body),
        // One encoding for every text: quoted-printable has short lines, ASCII alone, and can be read.
        contentTransferEncoding: 'quoted-printable',
      },
    ],
    // The composer reads files and addresses where it is given some. It is given none, and may not.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  composed.keepBcc = true;
  return await composed.build();
}

const only = (address: string): { name: string; address: string } => ({ name: '', address });

/** RFC 5322, section 2.3: lines end with CRLF, the last one too, and neither half occurs alone. */
function withLineEnds(body: string): string {
  const lines = body.replace(/\r\n?|\n/g, '\r\n');
  return lines === '' || lines.endsWith('\r\n') ? lines : `${lines}\r\n`;
}

function verifyTexts(subject: string, body: string): void {
  for (const [pointer, text] of [
    ['/subject', subject],
    ['/body', body],
  ] as const)
    if (!text.isWellFormed())
      throw new Fault('request.malformed', `\`${pointer}\` has half a character (a lone surrogate)`, { pointer });
  // An encoded word (RFC 2047) would be sent as it stands, and read as a text that nobody reviewed.
  if (subject.includes('=?'))
    throw new Fault('request.malformed', '`/subject` has `=?`, which mail programs read as an encoded word', {
      pointer: '/subject',
    });
  for (const [pointer, hidden] of [
    ['/subject', hiddenInSubject(subject)],
    ['/body', hiddenInBody(body)],
  ] as const)
    if (hidden !== null)
      throw new Fault('request.malformed', `\`${pointer}\` has ${hidden}, which is not shown to whoever reviews it`, {
        pointer,
      });
  if (Buffer.byteLength(body) > DRAFT_BODY_BYTES_MAX)
    throw new Fault('request.malformed', `\`/body\` has more than ${DRAFT_BODY_BYTES_MAX} bytes of UTF-8`, {
      pointer: '/body',
    });
}
