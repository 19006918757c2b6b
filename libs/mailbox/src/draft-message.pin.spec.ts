// SPDX-License-Identifier: Apache-2.0
import { draftMessage } from './draft-message.ts';

const ORIGIN = { from: 'ada@example.org', date: new Date('2026-03-04T05:06:07Z'), messageId: '<1@example.org>' };
const DRAFT = {
  to: ['grace@example.org', 'alan@example.org'],
  cc: ['team@example.org'],
  bcc: ['archive@example.org'],
  subject: 'Grüße',
  body: 'Dear Grace, \n.\ncost = 5 €\rbye',
  reply_to_message_id: '<7@shop.example>',
};

test('a draft has these bytes', async () => {
  expect((await draftMessage(DRAFT, ORIGIN)).toString('latin1').split('\r\n')).toEqual([
    'Content-Transfer-Encoding: quoted-printable',
    'From: ada@example.org',
    'To: grace@example.org, alan@example.org',
    'Cc: team@example.org',
    'Bcc: archive@example.org',
    'In-Reply-To: <7@shop.example>',
    'References: <7@shop.example>',
    'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
    'Message-ID: <1@example.org>',
    'Date: Wed, 04 Mar 2026 05:06:07 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Dear Grace,=20',
    '.',
    'cost =3D 5 =E2=82=AC',
    'bye',
    '',
  ]);
});

test.each([
  ['an address with letters beyond ASCII', { ...DRAFT, to: ['jürgen@example.org'] }, '/to/0'],
  ['an address with a name', { ...DRAFT, cc: ['Grace <grace@example.org>'] }, '/cc/0'],
  ['no recipient', { ...DRAFT, to: [] }, '/to'],
  ['a subject of two lines', { ...DRAFT, subject: 'a\nBcc: b@c' }, '/subject'],
  ['a subject that is an encoded word', { ...DRAFT, subject: '=?utf-8?q?other?=' }, '/subject'],
  ['half a character', { ...DRAFT, body: '\ud83d' }, '/body'],
  ['a body of more bytes than a draft has', { ...DRAFT, body: 'ü'.repeat(524_289) }, '/body'],
  ['a Message-ID with a line break', { ...DRAFT, reply_to_message_id: '<a@b>\r\nX: y' }, '/reply_to_message_id'],
  ['a header of its own', { ...DRAFT, headers: { 'X-A': 'b' } }, '/headers'],
])('a draft with %s is refused, and the place is named', async (_what, draft, pointer) => {
  await expect(draftMessage(draft, ORIGIN)).rejects.toMatchObject({
    code: 'request.malformed',
    message: expect.stringContaining(pointer.split('/')[1] ?? ''),
  });
});

test.each([
  { from: 'Ada <ada@example.org>' },
  { from: 'a@b\r\nBcc: c@d' },
  { messageId: 'no brackets' },
  { date: new Date(NaN) },
])('an origin like %j is refused', async (origin) => {
  await expect(draftMessage(DRAFT, { ...ORIGIN, ...origin })).rejects.toMatchObject({ code: 'request.malformed' });
});
