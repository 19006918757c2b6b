// SPDX-License-Identifier: Apache-2.0
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { findMessages } from './find-messages.ts';
import { MailboxError } from './mailbox-error.ts';
import { findDraft, putDraft } from './put-draft.ts';
import { GREETING, obligingScript, PASSWORD, scriptedServer, SETTINGS, type Script } from './specs/scripted-server.ts';

const MESSAGE = Buffer.from('Subject: x\r\n\r\nhello\r\n');
const STARTTLS = { ...SETTINGS, port: 143, tls: 'starttls' } as const;

/** What a promise is rejected with; anything but a failure of the mailbox is none. */
async function failureOf(promise: Promise<unknown>): Promise<MailboxError> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailboxError)) throw new Error('no failure of the mailbox', { cause: error });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  return error;
}

const find = (greeting: string, script: Script) => {
  const server = scriptedServer(greeting, script);
  return { server, failure: () => failureOf(findMessages(server.connection, SETTINGS, PASSWORD, {})) };
};

describe('a session', () => {
  test('uses the given connection alone, and opens no socket', async () => {
    const opened: unknown[] = [];
    const onSocket = (message: unknown): void => void opened.push(message);
    subscribe('net.client.socket', onSocket);
    try {
      const { connection, lines } = scriptedServer(GREETING, obligingScript());
      const found = await findMessages(connection, SETTINGS, PASSWORD, {});
      expect(found).toEqual({ folder: 'INBOX', matched: 2, messages: [] });
      expect(lines.at(-1)).toMatch(/LOGOUT$/);
      expect(connection.destroyed).toBe(true);
    } finally {
      unsubscribe('net.client.socket', onSocket);
    }
    expect(opened).toEqual([]);
  });

  test('sends no login when the server offers no STARTTLS', async () => {
    const { connection, lines } = scriptedServer(
      '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n',
      (command, tag) => `* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n${tag} OK ${command}\r\n`,
    );
    expect((await failureOf(putDraft(connection, STARTTLS, PASSWORD, MESSAGE))).reason).toBe('tls');
    expect(lines.join('\n')).not.toMatch(/LOGIN|AUTHENTICATE|APPEND/);
  });

  test.each([
    ['refuses STARTTLS', 'BAD no', ''],
    ['sends more after it accepted STARTTLS', 'OK go', '* OK [CAPABILITY IMAP4rev1] injected\r\n'],
    ['answers STARTTLS with no handshake', 'OK go', 'what handshake\r\n'.repeat(9)],
  ])('sends no login when the server %s', async (_what, answer, more) => {
    const { connection, lines } = scriptedServer('* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n', (command, tag) =>
      command === 'STARTTLS' ? `${tag} ${answer}\r\n${more}` : `* CAPABILITY IMAP4rev1 STARTTLS\r\n${tag} OK\r\n`,
    );
    expect((await failureOf(putDraft(connection, STARTTLS, PASSWORD, MESSAGE))).reason).toBe('tls');
    expect(lines.join('\n')).not.toMatch(/LOGIN|AUTHENTICATE|APPEND/);
  });

  test('does not begin when the server says that it is logged in already, before TLS', async () => {
    const { connection, lines } = scriptedServer('* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] hi\r\n', obligingScript());
    expect((await failureOf(putDraft(connection, STARTTLS, PASSWORD, MESSAGE))).reason).toBe('tls');
    expect(lines.join('\n')).not.toMatch(/APPEND/);
  });

  test.each<[string, string, string, Readonly<Record<string, Script>>]>([
    ['a refused login', 'auth', GREETING, { LOGIN: (_, tag) => `${tag} NO [AUTHENTICATIONFAILED] no\r\n` }],
    ['a login that cannot be checked', 'refused', GREETING, { LOGIN: (_, tag) => `${tag} NO [UNAVAILABLE] no\r\n` }],
    [
      'a folder that is not there',
      'folder_missing',
      GREETING,
      { EXAMINE: (_, tag) => `${tag} NO [NONEXISTENT] no\r\n` },
    ],
    ['a refused search', 'refused', GREETING, { 'UID SEARCH': (_, tag) => `${tag} NO not today\r\n` }],
    ['a greeting that is none', 'malformed', 'SSH-2.0-OpenSSH_9.2\r\n', {}],
    ['a goodbye for a greeting', 'unreachable', '* BYE busy\r\n', {}],
  ])('names %s `%s`', async (_what, reason, greeting, overridden) => {
    expect((await find(greeting, obligingScript(overridden)).failure()).reason).toBe(reason);
  });

  test('ends in its time when the server says nothing', async () => {
    const { connection } = scriptedServer('', () => undefined);
    const failure = await failureOf(findMessages(connection, SETTINGS, PASSWORD, {}, { timeoutMs: 50 }));
    expect(failure.reason).toBe('timeout');
    expect(connection.destroyed).toBe(true);
  });

  test('ends when its caller gives up', async () => {
    const { connection } = scriptedServer(GREETING, () => undefined);
    const given = findMessages(connection, SETTINGS, PASSWORD, {}, { signal: AbortSignal.timeout(50) });
    expect((await failureOf(given)).reason).toBe('timeout');
  });

  test('keeps the reason that the connection broke with', async () => {
    const refusal = new Error('the gate closed it');
    const { connection } = scriptedServer(GREETING, () => void connection.destroy(refusal));
    const failure = await failureOf(findMessages(connection, SETTINGS, PASSWORD, {}));
    expect([failure.reason, failure.cause]).toEqual(['unreachable', refusal]);
  });

  test('sends no user name and no password with a line break', async () => {
    const { connection, lines } = scriptedServer(GREETING, obligingScript());
    const given = findMessages(connection, SETTINGS, 'a\r\nA1 DELETE INBOX', {});
    expect((await failureOf(given)).reason).toBe('auth');
    expect(lines).toEqual([]);
  });
});

describe('a draft', () => {
  test('goes to the folder that the server marks, and may be there when no answer comes', async () => {
    const { connection, lines } = scriptedServer(GREETING, obligingScript());
    const stored = putDraft(connection, SETTINGS, PASSWORD, MESSAGE, { timeoutMs: 200 });
    expect(await failureOf(stored)).toMatchObject({ reason: 'timeout', mayHaveStored: true });
    expect(lines.find((line) => line.includes('APPEND'))).toMatch(/APPEND Entwurf \(\\Draft \\Seen\) \{21\+?\}$/);
  });

  test('that is there already by its Message-ID is not stored again', async () => {
    let asked = 0;
    const { connection, lines } = scriptedServer(GREETING, obligingScript());
    const options = { messageId: '<a@example.org>', beforeStoring: () => Promise.resolve(void (asked += 1)) };
    expect(await putDraft(connection, SETTINGS, PASSWORD, MESSAGE, options)).toEqual({
      folder: 'Entwurf',
      uid: 2,
      uidvalidity: '7',
      isOld: true,
    });
    expect(asked).toBe(0);
    expect(lines.join('\n')).not.toMatch(/APPEND|SELECT/);
    const again = scriptedServer(GREETING, obligingScript());
    expect(await findDraft(again.connection, SETTINGS, PASSWORD, '<a@example.org>')).toMatchObject({ uid: 2 });
  });

  test('is not sent when its caller may not store it, whose error is kept', async () => {
    const refusal = new Error('the kernel said no');
    const { connection, lines } = scriptedServer(
      GREETING,
      obligingScript({ 'UID SEARCH': (_, tag) => `* SEARCH\r\n${tag} OK\r\n` }),
    );
    const options = { messageId: '<a@example.org>', beforeStoring: () => Promise.reject(refusal) };
    await expect(putDraft(connection, SETTINGS, PASSWORD, MESSAGE, options)).rejects.toBe(refusal);
    expect(lines.join('\n')).not.toMatch(/APPEND/);
    expect(connection.destroyed).toBe(true);
  });

  test('is not stored for certain when the server refuses it', async () => {
    const { connection } = scriptedServer(
      GREETING,
      obligingScript({ APPEND: (_, tag) => `${tag} NO [OVERQUOTA] the mailbox is full, says ${PASSWORD}\r\n` }),
    );
    const failure = await failureOf(putDraft(connection, SETTINGS, PASSWORD, MESSAGE));
    expect(failure).toMatchObject({ reason: 'refused', mayHaveStored: false });
    expect(failure.message).toBe('the server refused what it was asked: `OVERQUOTA`');
  });

  test('needs a folder that the server marks, and takes none that is only named like one', async () => {
    const { connection, lines } = scriptedServer(
      GREETING,
      obligingScript({ LIST: (_, tag) => `* LIST () "/" "Drafts"\r\n${tag} OK\r\n` }),
    );
    const failure = await failureOf(putDraft(connection, SETTINGS, PASSWORD, MESSAGE));
    expect(failure).toMatchObject({ reason: 'folder_missing', mayHaveStored: false });
    expect(lines.join('\n')).not.toContain('APPEND');
  });

  test('that is too large closes the connection unused', async () => {
    const { connection, lines } = scriptedServer(GREETING, obligingScript());
    const failure = await failureOf(putDraft(connection, SETTINGS, PASSWORD, Buffer.alloc(4_194_305)));
    expect([failure.reason, lines, connection.destroyed]).toEqual(['too_large', [], true]);
  });
});
