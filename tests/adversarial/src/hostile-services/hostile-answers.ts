// SPDX-License-Identifier: Apache-2.0
// Answers of servers of one tenant that are expensive to read.
import type { MailAnswers } from './mail-server.ts';

const exists =
  (count: number) =>
  (tag: string): string =>
    `* ${count} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 60] ok\r\n${tag} OK done\r\n`;

const UNCLOSED = '<a>'.repeat(20_000) + '</b>'.repeat(17_000);
const MESSAGES = Array.from({ length: 20 }, (_, n) => n + 1);
const rows = MESSAGES.map(
  (uid) =>
    `* ${uid} FETCH (UID ${uid} BODYSTRUCTURE ("TEXT" "HTML" ("CHARSET" "utf-8") NIL NIL "7BIT" ${UNCLOSED.length} 1))\r\n`,
).join('');

/** Of mailboxes, with the code of a call that finds messages; null: it succeeds. */
export const OF_MAILBOXES: readonly (readonly [what: string, answers: MailAnswers, code: string | null])[] = [
  [
    'matches in a range that is expanded',
    {
      EXAMINE: exists(4_294_967_295),
      'UID SEARCH': (tag) => `* ESEARCH (TAG "${tag}") UID ALL 1:16777216\r\n${tag} OK done\r\n`,
    },
    'mailbox.unreadable',
  ],
  [
    'messages that are gone in ranges that are walked',
    { 'UID SEARCH': (tag) => `${'* VANISHED 1:16777216\r\n'.repeat(1_000)}${tag} OK done\r\n` },
    'mailbox.unreadable',
  ],
  [
    'HTML of unclosed elements',
    {
      EXAMINE: exists(MESSAGES.length),
      'UID SEARCH': (tag) => `* SEARCH ${MESSAGES.join(' ')}\r\n${tag} OK done\r\n`,
      'UID FETCH': (tag, line) => {
        if (line.includes('BODYSTRUCTURE')) return `${rows}${tag} OK done\r\n`;
        const uid = /UID FETCH (\d+)/.exec(line)?.[1] ?? '1';
        return `* ${uid} FETCH (UID ${uid} BODY[1]<0> {${UNCLOSED.length}}\r\n${UNCLOSED})\r\n${tag} OK done\r\n`;
      },
    },
    null,
  ],
];

const MEMBERS = Array.from({ length: 300_000 }, (_, n) => `"!${n.toString(36)}":0`).join(',');
const hit = ({ id = '"a"', metadata = 'null', distance = '0.1' }: Readonly<Record<string, string>>): string =>
  `{"ids":[[${id}]],"documents":[["t"]],"metadatas":[[${metadata}]],"distances":[[${distance}]]}`;

/** Of Chroma, to a query. */
export const OF_STORES: readonly (readonly [what: string, answer: string, code: string | null])[] = [
  ['metadata of very many members', hit({ metadata: `{${MEMBERS}}` }), null],
  ['`null`', 'null', 'egress.failed'],
  ['nothing', '', 'egress.failed'],
  ['an infinite distance', hit({ distance: '1e400' }), 'egress.failed'],
  ['an id with U+0000', hit({ id: '"a\\u0000"' }), 'egress.failed'],
];

const WORDS = new Array(40_000).fill('{"word":"a","start":9,"end":9}').join(',');
const SEGMENTS = new Array(40_000).fill('{"text":"a","start":1,"end":1,"avg_logprob":-2,"no_speech_prob":1}').join(',');

/** Of services of transcription. */
export const OF_SPEECH: readonly (readonly [what: string, answer: string, code: string | null])[] = [
  ['very many words and segments', `{"text":"x","duration":1,"words":[${WORDS}],"segments":[${SEGMENTS}]}`, null],
  [
    'too many words',
    `{"text":"x","duration":1,"words":[${new Array(5).fill(WORDS).join(',')}]}`,
    'transcription.failed',
  ],
];
