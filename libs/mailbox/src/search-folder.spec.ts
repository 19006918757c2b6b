// SPDX-License-Identifier: Apache-2.0
import { findMessages } from './find-messages.ts';
import { GREETING, obligingScript, PASSWORD, scriptedServer, SETTINGS } from './specs/scripted-server.ts';

const counted = (exists: number) => (_: string, tag: string) =>
  `* ${exists} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 9] ok\r\n${tag} OK done\r\n`;

const search = (answer: string) => {
  const script = obligingScript({
    EXAMINE: counted(4_294_967_295),
    'UID SEARCH': (_, tag) => `${answer}\r\n${tag} OK done\r\n`,
  });
  const { connection, lines } = scriptedServer(GREETING, script);
  return { found: findMessages(connection, SETTINGS, PASSWORD, { limit: 2 }), lines };
};

describe('a search of a folder', () => {
  test.each([
    ['numbers', '* SEARCH 9 2 2 7', 3],
    ['numbers in several responses', '* SEARCH 9 2\r\n* SEARCH 7 9', 3],
    ['ranges', '* ESEARCH (TAG "1") UID ALL 2,7:9', 4],
    ['a range that is written backwards, twice', '* ESEARCH UID ALL 9:7\r\n* ESEARCH UID ALL 7:9', 3],
    ['what are no numbers', '* SEARCH 9 x 0 -1 1.5 1e400 4294967296', 1],
    ['what are no ranges', '* ESEARCH UID ALL 9,0:3,1:4294967296', 1],
    ['nothing', '* SEARCH', 0],
  ])('counts each of %s once, and reads the newest', async (_what, answer, matched) => {
    const { found, lines } = search(answer);
    expect((await found).matched).toBe(matched);
    if (matched > 1) expect(lines.find((line) => line.includes('UID FETCH'))).toMatch(/UID FETCH 9,[78] /);
  });

  test.each([
    ['one range', '* ESEARCH (TAG "1") UID ALL 1:16777216'],
    ['all numbers that there are', '* ESEARCH UID ALL 1:4294967295'],
    ['many ranges', `* ESEARCH UID ALL ${'1:1000,'.repeat(201)}1`],
    ['many responses', `${'* ESEARCH UID ALL 1:1000\r\n'.repeat(201)}* SEARCH 1`],
    ['numbers', `* SEARCH ${'1 '.repeat(200_001).trim()}`],
  ])('refuses more than a mailbox has as %s, unexpanded', async (_what, answer) => {
    const started = performance.now();
    await expect(search(answer).found).rejects.toMatchObject({ reason: 'too_large' });
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
