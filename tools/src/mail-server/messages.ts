// SPDX-License-Identifier: Apache-2.0

/** A message with CRLF, in Latin-1: each of its characters is a byte. */
const message = (...lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');

/** Messages as mail programs write them, the oldest first. */
export const MESSAGES: readonly { readonly received: string; readonly message: Buffer }[] = [
  {
    received: '2026-01-10T12:00:00Z',
    message: message(
      'From: Billing <billing@shop.example>',
      'To: ada@example.org',
      'Subject: Invoice 7',
      'Date: Sat, 10 Jan 2026 12:00:00 +0000',
      'Message-ID: <invoice-7@shop.example>',
      '',
      'Please pay.',
    ),
  },
  {
    received: '2026-02-10T12:00:00Z',
    message: message(
      'From: Grace <grace@example.org>',
      'To: team@example.org',
      'Subject: Minutes',
      'Date: Tue, 10 Feb 2026 12:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b1',
      '',
      '--b1',
      'Content-Type: text/plain; charset=us-ascii',
      '',
      'The quarterly figures are attached.',
      '--b1',
      'Content-Type: application/pdf; name=figures.pdf',
      'Content-Disposition: attachment; filename=figures.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERi0xLjQK',
      '--b1--',
    ),
  },
  {
    received: '2026-02-20T12:00:00Z',
    message: message(
      'From: =?iso-8859-1?Q?J=FCrgen_Gro=DF?= <juergen@example.org>',
      'To: Ada <ada@example.org>',
      'Subject: =?utf-8?B?R3LDtsOfZSDmlbDlraY=?=',
      'Date: Fri, 20 Feb 2026 12:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Sch=F6ne Gr=FC=DFe a=',
      'us K=F6ln',
    ),
  },
  {
    received: '2026-03-01T12:00:00Z',
    message: message(
      'From: news@shop.example',
      'To: ada@example.org',
      'Subject: Rundbrief',
      'Date: Sun, 1 Mar 2026 12:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(
        '<html><head><style>p { color: red }</style></head><body><h1>Guten Tag</h1><p>Alles für 5&nbsp;€ &amp; mehr</p></body></html>',
      ).toString('base64'),
    ),
  },
];
