// SPDX-License-Identifier: Apache-2.0
//
// Whatever a draft has, its message has the draft's headers and recipients and no other, or there is no message. The
// message is read here by rules of their own, and not by the library that wrote it.
import fc from 'fast-check';
import { Fault, type Draft } from '@writ/contract';
import { draftMessage } from './draft-message.ts';

const ORIGIN = { from: 'ada@example.org', date: new Date('2026-03-04T05:06:07Z'), messageId: '<1@example.org>' };

/** Texts that try to end a header, to begin another, or to be read as something else. */
const PIECES = [
  '\r\nBcc: evil@example.com',
  '\nBcc: evil@example.com',
  '\rX: y',
  '\u0085Bcc: x',
  '\u2028Bcc: x',
  '\r\n\r\nbody',
  '=?utf-8?q?=0D=0ABcc:_x@y?=',
  ', evil@example.com',
  '; evil@example.com',
  '<evil@example.com>',
  '"a" <b@c>',
  'ada@example.org',
  '@',
  '.',
  '.\r\n',
  '=',
  '=20',
  '=\r\n',
  ' ',
  '\t',
  '\u0000',
  '\ud83d',
  '🎉',
  'ü',
  '数学',
  'a'.repeat(80),
  '\n',
  '\r',
];
const text = fc
  .array(fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'binary', maxLength: 12 })), {
    maxLength: 12,
  })
  .map((pieces) => pieces.join(''));
/** Most bodies are ones that a draft may have: otherwise there would be few messages to look at. */
const body = fc.oneof(
  { weight: 9, arbitrary: text.map((each) => each.toWellFormed().replace(/[^\P{Cc}\t\r\n]/gu, '')) },
  { weight: 1, arbitrary: text },
);
const line = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }) },
  { weight: 3, arbitrary: text },
  // What mail programs decode, although it looks like this to a person.
  { weight: 1, arbitrary: fc.constantFrom('=?utf-8?q?=0D=0ABcc:_x@y?=', 'a =?UTF-8?B?eA==?=') },
);
const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/);
const address = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.tuple(atom, fc.stringMatching(/^[a-z][a-z0-9]{0,10}\.example$/)).map((both) => both.join('@')),
  },
  { weight: 1, arbitrary: text },
);
const list = fc.array(address, { minLength: 1, maxLength: 3 });
const draft = fc.record(
  {
    to: list,
    cc: list,
    bcc: list,
    subject: line,
    body,
    reply_to_message_id: fc.oneof({ weight: 9, arbitrary: fc.constant('<a.b@c>') }, { weight: 1, arbitrary: text }),
  },
  { requiredKeys: ['to', 'subject', 'body'] },
);

/** The headers, unfolded (RFC 5322, section 2.2.3), and the body of a message. */
function read(bytes: Buffer): { headers: Map<string, string>; names: string[]; lines: string[]; body: string } {
  const message = bytes.toString('latin1');
  const end = message.indexOf('\r\n\r\n');
  const lines = message.slice(0, end).split('\r\n');
  const unfolded = lines
    .join('\r\n')
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const pairs = unfolded.map(
    (each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1).trim()] as const,
  );
  return {
    headers: new Map(pairs),
    names: pairs.map(([name]) => name),
    lines: message.split('\r\n'),
    body: message.slice(end + 4),
  };
}

/** RFC 2047, sections 4 and 6.2. */
const decodedWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, words: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(words, 'base64').toString()
        : bytesOf(words.replaceAll('_', ' ')).toString(),
    );
const bytesOf = (quoted: string): Buffer =>
  Buffer.from(
    quoted.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );

const HEADERS = {
  always: ['Content-Transfer-Encoding', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Subject', 'To'],
  cc: ['Cc'],
  bcc: ['Bcc'],
  reply_to_message_id: ['In-Reply-To', 'References'],
} as const;

function verify(given: Draft, bytes: Buffer): void {
  const { headers, names, lines, body } = read(bytes);
  const expected = [
    ...HEADERS.always,
    ...(given.cc ? HEADERS.cc : []),
    ...(given.bcc ? HEADERS.bcc : []),
    ...(given.reply_to_message_id ? HEADERS.reply_to_message_id : []),
  ];
  expect([...names].sort()).toEqual([...expected].sort());
  for (const [name, addresses] of [
    ['To', given.to],
    ['Cc', given.cc],
    ['Bcc', given.bcc],
  ] as const)
    expect(headers.get(name)?.split(/,\s*/)).toEqual(addresses && [...new Set(addresses)]);
  expect(headers.get('From')).toBe(ORIGIN.from);
  expect(decodedWords(headers.get('Subject') ?? '')).toBe(given.subject);
  expect(lines.every((each) => each.length <= 998 && /^[\t\u0020-\u007e]*$/.test(each))).toBe(true);
  const text = given.body.replace(/\r\n?|\n/g, '\r\n').replace(/(?<!^|\r\n)$/, '\r\n');
  expect(bytesOf(body.replace(/=\r\n/g, '')).toString()).toBe(text);
}

test('a message has what its draft has and nothing beside it, or there is none', async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(draft, async (given) => {
      try {
        const bytes = await draftMessage(given, ORIGIN);
        made += 1;
        verify(given, bytes);
        expect((await draftMessage(given, { ...ORIGIN, date: new Date(ORIGIN.date) })).equals(bytes)).toBe(true);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        expect(error.code).toBe('request.malformed');
      }
    }),
    { numRuns: 1_500 },
  );
  // Enough of the drafts are good ones for the claim to say anything.
  expect(made).toBeGreaterThan(300);
});
