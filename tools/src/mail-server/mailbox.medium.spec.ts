// SPDX-License-Identifier: Apache-2.0
//
// Drafts and searches with a real IMAP server. It lies here because the set-up of the server does, which no library
// may use.
import { readFileSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Draft, MailboxSettings, MessageQuery } from '@writ/contract';
import { draftMessage, findMessages, putDraft, type SessionOptions } from '@writ/mailbox';
import {
  MAIL_PASSWORD as PASSWORD,
  MAIL_USER as USER,
  newCertificateAuthority,
  startMailServer,
  type MailServer,
} from '@writ/testing';
import { mailProgram } from './mail-program.ts';
import { MESSAGES } from './messages.ts';

const HOST = 'mail.example.org';
const prepared = await mailProgram();
const why = typeof prepared === 'string' ? ` (skipped: ${prepared})` : '';

describe.skipIf(typeof prepared === 'string')(`a mailbox of Dovecot${why}`, () => {
  let server: MailServer;
  let authorities: readonly string[];
  const open: Duplex[] = [];

  beforeAll(async () => {
    if (typeof prepared === 'string') return;
    const authority = await newCertificateAuthority();
    authorities = [authority.cert];
    server = await startMailServer(prepared.program, await authority.issue([{ type: 'dns', value: HOST }]));
    for (const { message, received } of MESSAGES) server.deliver(message, new Date(received));
  });
  afterAll(async () => {
    for (const each of open) each.destroy();
    await (server as MailServer | undefined)?.stop();
  });

  const settings = (tls: MailboxSettings['tls'], more: Partial<MailboxSettings> = {}): MailboxSettings => ({
    host: HOST,
    port: tls === 'implicit' ? 993 : 143,
    tls,
    username: USER,
    secret: 'MAIL_PASSWORD',
    address: 'ada@example.org',
    ...more,
  });

  /** What the egress gate does: a connection that is private already, or one in clear. */
  async function connected(tls: MailboxSettings['tls']): Promise<Duplex> {
    const plain: Socket = connect({ host: '127.0.0.1', port: tls === 'implicit' ? server.tlsPort : server.plainPort });
    const socket = tls === 'implicit' ? connectTls({ socket: plain, servername: HOST, ca: [...authorities] }) : plain;
    open.push(socket);
    await new Promise((resolve, reject) => {
      socket.once(tls === 'implicit' ? 'secureConnect' : 'connect', resolve).once('error', reject);
    });
    return socket;
  }

  const origin = {
    from: 'ada@example.org',
    date: new Date('2026-03-04T05:06:07Z'),
    messageId: '<draft-1@example.org>',
  };
  const put = async (
    draft: Draft,
    given: MailboxSettings,
    { password = PASSWORD, ...options }: SessionOptions & { password?: string } = {},
  ) =>
    putDraft(await connected(given.tls), given, password, await draftMessage(draft, origin), {
      authorities,
      ...options,
    });
  const find = async (query: MessageQuery, tls: MailboxSettings['tls'] = 'implicit') =>
    findMessages(await connected(tls), settings(tls), PASSWORD, query, { authorities });
  const subjects = async (query: MessageQuery) => (await find(query)).messages.map(({ subject }) => subject);
  const DRAFT: Draft = { to: ['grace@example.org'], subject: 'Hello', body: 'Dear Grace,\nhow are you?\n' };
  /** Dovecot's names of folders: modified UTF-7 (RFC 3501, section 5.1.3). */
  const DRAFTS_ON_DISK = 'Entw&APw-rfe';

  test.each(['implicit', 'starttls'] as const)('gets a draft over %s TLS into its folder, as a draft', async (tls) => {
    const before = server.files(DRAFTS_ON_DISK).length;
    const stored = await put(DRAFT, settings(tls));
    expect(stored).toMatchObject({ folder: 'Entwürfe', uid: expect.any(Number), uidvalidity: expect.any(String) });
    const files = server.files(DRAFTS_ON_DISK);
    expect(files.length).toBe(before + 1);
    expect(files.every((name) => name.endsWith(':2,DS'))).toBe(true);
  });

  test('keeps the very bytes of a draft, of a subject beyond ASCII and a body of a mebibyte', async () => {
    const line = 'Zeile mit Umläuten äöü\n';
    const draft = {
      to: ['grace@example.org'],
      bcc: ['alan@example.org'],
      subject: 'Größe: 数学 und ein langer Betreff, der auf mehr als eine Zeile kommt 🎉',
      body: line.repeat(1_048_576 / Buffer.byteLength(line)),
    };
    const { uid, folder } = await put(draft, settings('starttls', { drafts: 'Other' }));
    expect(folder).toBe('Other');
    const dir = join(server.mailDir, '.Other', 'cur');
    const [file] = readdirSync(dir);
    // Dovecot keeps lines without CR, and adds it again for IMAP.
    const kept = readFileSync(join(dir, file!), 'latin1').replaceAll('\n', '\r\n');
    expect(kept === (await draftMessage(draft, origin)).toString('latin1')).toBe(true);
    const [found] = (await find({ folder: 'Other', subject: '数学' })).messages;
    expect(found).toMatchObject({
      uid,
      folder: 'Other',
      subject: draft.subject,
      from: [{ name: '', address: 'ada@example.org' }],
      to: [{ name: '', address: 'grace@example.org' }],
      date: '2026-03-04T05:06:07.000Z',
      message_id: '<draft-1@example.org>',
      text_truncated: true,
      has_attachments: false,
    });
    expect(found!.text.startsWith('Zeile mit Umläuten äöü\nZeile')).toBe(true);
  });

  test('refuses a wrong password, and a folder that is not there', async () => {
    await expect(put(DRAFT, settings('implicit'), { password: 'wrong' })).rejects.toMatchObject({ reason: 'auth' });
    await expect(put(DRAFT, settings('implicit', { drafts: 'Nowhere' }))).rejects.toMatchObject({
      reason: 'folder_missing',
      mayHaveStored: false,
    });
    await expect(find({ folder: 'Nowhere' })).rejects.toMatchObject({ reason: 'folder_missing' });
  });

  test.each([
    ['a certificate of another host', { host: 'other.example.org' }, {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['a certificate of an address that it does not name', { host: '127.0.0.1' }, {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['a certificate of an authority that nobody trusts', {}, { authorities: [] }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('gets no password when it shows %s', async (_what, more, options, code) => {
    await expect(put(DRAFT, settings('starttls', more), options)).rejects.toMatchObject({
      reason: 'tls',
      message: expect.stringContaining(code),
      mayHaveStored: false,
    });
  });

  test.each<[string, MessageQuery, readonly string[]]>([
    ['no criterion', {}, ['Rundbrief', 'Größe 数学', 'Minutes', 'Invoice 7']],
    ['a sender', { from: 'billing' }, ['Invoice 7']],
    ['a recipient', { to: 'team@' }, ['Minutes']],
    ['a subject beyond ASCII', { subject: 'größe' }, ['Größe 数学']],
    ['a text of the body', { text: 'quarterly' }, ['Minutes']],
    ['a first day', { since: '2026-02-01' }, ['Rundbrief', 'Größe 数学', 'Minutes']],
    ['a last day', { before: '2026-02-01' }, ['Invoice 7']],
    ['being unread', { unseen: true, from: 'billing' }, ['Invoice 7']],
    ['being read', { unseen: false }, []],
    ['several things at once', { since: '2026-02-01', to: 'ada' }, ['Rundbrief', 'Größe 数学']],
    ['a text that nobody wrote, with quotes', { text: 'x" ALL "\\' }, []],
  ])('finds messages by %s', async (_what, query, expected) => {
    expect(await subjects(query)).toEqual(expected);
  });

  test('answers the newest up to the limit, and how many there are', async () => {
    const found = await find({ limit: 1 }, 'starttls');
    expect([found.matched, found.messages.map(({ subject }) => subject)]).toEqual([4, ['Rundbrief']]);
  });

  test('reads texts of every encoding, and HTML as text', async () => {
    const found = await find({});
    expect(found.messages.map(({ text, has_attachments }) => [text, has_attachments])).toEqual([
      ['Guten Tag\n\nAlles für 5 € & mehr', false],
      ['Schöne Grüße aus Köln', false],
      ['The quarterly figures are attached.', true],
      ['Please pay.', false],
    ]);
    expect(found.messages[1]).toMatchObject({ from: [{ name: 'Jürgen Groß', address: 'juergen@example.org' }] });
  });

  test('marks nothing as read', () => {
    expect(server.files('INBOX').filter((name) => !name.endsWith(':2,'))).toEqual([]);
  });
});
