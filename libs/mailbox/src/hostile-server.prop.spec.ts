// SPDX-License-Identifier: Apache-2.0
//
// Servers that send what they like. Whatever it is, a session ends with an answer or with a failure by name.
import fc from 'fast-check';
import { findMessages } from './find-messages.ts';
import { MAILBOX_FAILURES, MailboxError } from './mailbox-error.ts';
import { putDraft } from './put-draft.ts';
import { GREETING, obligingScript, PASSWORD, scriptedServer, SETTINGS, type Script } from './specs/scripted-server.ts';

const MESSAGE = Buffer.from('Subject: x\r\n\r\nhello\r\n');
/** Short: many servers here say nothing more, and each of them takes this long. */
const TIME_MS = 40;

const COMMANDS = ['CAPABILITY', 'LOGIN', 'LIST', 'EXAMINE', 'UID SEARCH', 'UID FETCH', 'APPEND', 'LOGOUT'] as const;

/** Pieces of answers, whole and broken. */
const PIECES = [
  '* OK ',
  '* NO [ALERT] x',
  '* BYE ',
  '* 1 FETCH (UID 2 ENVELOPE (',
  '* 1 FETCH (UID 5 BODYSTRUCTURE (("TEXT" "PLAIN" NIL NIL NIL "BASE64" 9 1)',
  '* 1 FETCH (UID 5 BODYSTRUCTURE ("TEXT" "HTML" ("CHARSET" "x-none") NIL NIL "7BIT" 9 1) ENVELOPE NIL)',
  '* 2 FETCH (UID 5 BODY[1]<0> {9}\r\n',
  '* SEARCH 1 2 99999999999999999999 -1 x',
  '* ESEARCH (TAG "1") UID ALL 1:4294967295',
  '* LIST (\\Drafts) NIL ""',
  '* LIST (\\Drafts) "/" {3}\r\nabc',
  '* 4294967295 EXISTS',
  '* 0 EXPUNGE',
  '{999999999}\r\n',
  '{5}\r\nab',
  '"unended',
  '((((((((((',
  '))))',
  '+ go\r\n',
  '\u0000',
  '[',
  'NIL',
  '\r\n',
  '\n',
  '\r',
  ' ',
];

const bytes = fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each));
const answer = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES).map((each) => Buffer.from(each)),
      bytes,
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.concat(pieces));

/** An answer to one of the commands, with the line that completes it or without. */
const script = fc
  .record({ command: fc.constantFrom(...COMMANDS), answer, completes: fc.boolean() })
  .map(({ command, answer: said, completes }): Script =>
    obligingScript({
      [command]: (_, tag) => Buffer.concat([said, Buffer.from(completes ? `\r\n${tag} OK done\r\n` : '')]),
    }),
  );

async function endOf(run: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  try {
    await run();
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    expect(MAILBOX_FAILURES).toContain(error.reason);
    expect(error.message).not.toContain(PASSWORD);
  }
  // Far above the time that was given: a busy machine is none of the server's doing, and a hang is.
  expect(performance.now() - started).toBeLessThan(10_000);
}

describe('a hostile server', () => {
  test('that greets with anything ends by name', async () => {
    await fc.assert(
      fc.asyncProperty(answer, async (greeting) => {
        const { connection } = scriptedServer(greeting, obligingScript());
        await endOf(() => findMessages(connection, SETTINGS, PASSWORD, {}, { timeoutMs: TIME_MS }));
        expect(connection.destroyed).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('that answers anything to a search ends by name, and is sent nothing that changes a mailbox', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (each) => {
        const { connection, lines } = scriptedServer(GREETING, each);
        await endOf(() => findMessages(connection, SETTINGS, PASSWORD, { from: 'x' }, { timeoutMs: TIME_MS }));
        expect(connection.destroyed).toBe(true);
        expect(lines.join('\n')).not.toMatch(
          / (?:SELECT|STORE|UID STORE|APPEND|COPY|MOVE|EXPUNGE|CREATE|DELETE|BODY\[)/,
        );
      }),
      { numRuns: 150 },
    );
  });

  test('that answers anything to a draft ends by name, and is sent the draft once at most', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (each) => {
        const { connection, lines } = scriptedServer(GREETING, each);
        await endOf(() => putDraft(connection, SETTINGS, PASSWORD, MESSAGE, { timeoutMs: TIME_MS }));
        expect(connection.destroyed).toBe(true);
        expect(lines.filter((line) => / APPEND /.test(line)).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });

  const MEBIBYTE = 1_048_576;
  test.each<[string, string | Buffer]>([
    ['a line without an end', Buffer.alloc(3 * MEBIBYTE, 'a')],
    ['a literal of gigabytes', '* 1 FETCH (UID 2 BODY[1]<0> {2000000000}\r\n'],
    ['many responses without an end', Buffer.from('* 1 EXISTS\r\n'.repeat(17 * 90_000))],
  ])('that answers %s is left for its size', async (_what, said) => {
    const { connection } = scriptedServer(
      GREETING,
      obligingScript({ EXAMINE: () => (typeof said === 'string' ? said : Buffer.concat([Buffer.from('* '), said])) }),
    );
    const failure = await findMessages(connection, SETTINGS, PASSWORD, {}, { timeoutMs: 60_000 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ reason: 'too_large' });
    expect(connection.destroyed).toBe(true);
  });

  test.each([
    ['a million parentheses', '('.repeat(MEBIBYTE)],
    ['very many words', `(${'a '.repeat(100_000)})`],
    ['very many numbers', '1 '.repeat(900_000)],
    ['a long structure', `2 (UID 5 BODYSTRUCTURE ${'('.repeat(20_000)}"TEXT" "PLAIN"${')'.repeat(20_000)})`],
  ])('that answers %s costs little', async (_what, said) => {
    for (const command of COMMANDS.filter((each) => each !== 'APPEND')) {
      const answered = obligingScript({
        [command]: (_, tag) => `* ${command.replace('UID ', '')} ${said}\r\n* 2 FETCH ${said}\r\n${tag} OK done\r\n`,
      });
      const { connection } = scriptedServer(GREETING, answered);
      await endOf(() => findMessages(connection, SETTINGS, PASSWORD, {}, { timeoutMs: 2_000 }));
    }
  });

  test('that answers drop by drop is left when the time is over', async () => {
    const { connection, server } = scriptedServer(GREETING, () => undefined);
    const drops = setInterval(() => void server.write('* 1 EXISTS\r\n'), 5);
    try {
      const failure = await findMessages(connection, SETTINGS, PASSWORD, {}, { timeoutMs: 200 }).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ reason: 'timeout' });
    } finally {
      clearInterval(drops);
    }
  });
});
