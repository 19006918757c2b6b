// SPDX-License-Identifier: Apache-2.0
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newId } from '@writ/nest-kit';
import { newCertificateAuthority, type CertificateAuthority } from '@writ/testing';
import { EgressGate } from '../../../edge/outbound/egress-gate.ts';
import { openFakeSmtp, type FakeMail, type FakeSmtp, type FakeSmtpOptions } from '../../../specs/fake-smtp.ts';
import type { KindSettings } from '../../../store/channels/channels.ts';
import type { PostEnd } from '../provider.ts';
import { newApproval, PAGE, providerContract, type Misbehaviour } from '../provider.contract.ts';
import type { ShownApproval } from '../shown-approval.ts';
import { emailProvider } from './email-provider.ts';

const ACCOUNT = { user: 'writ', password: 'p4ss-w0rd' };
const TO = ['ops@example.org', 'lead@example.org'];
const SETTINGS = { tls: 'none', username: ACCOUNT.user, from: 'writ@example.org', to: TO } as const;

const TAGS = ['<!doctype html>', ...['html', 'body', 'p', 'b', 'table', 'tr', 'td', 'a'].flatMap(bothTags)];
function bothTags(name: string): string[] {
  return [`<${name}>`, `</${name}>`];
}

/** What a person reads, in either part. */
function readMail({ parts }: FakeMail): { text: string; links: string[] } {
  const { 'text/plain': text = '', 'text/html': html = '' } = parts;
  const links = [...text.matchAll(/\bhttps?:\/\/\S+/g)].map(([link]) => link);
  // No value adds an element, or an attribute.
  for (const [tag] of html.matchAll(/<[^>]*>/g)) expect([...TAGS, `<a href="${PAGE}">`]).toContain(tag);
  for (const [, link = ''] of html.matchAll(/<[^>]*\bhref="([^"]*)"/g)) links.push(link);
  const decoded = html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  return { text: `${text}\n${decoded}`, links: [...new Set(links)] };
}

const open = async () => {
  const smtp = await openFakeSmtp({ tls: 'none', account: ACCOUNT });
  const { port, close } = smtp;
  return {
    settings: { ...SETTINGS, host: '127.0.0.1', port },
    ...{ secret: ACCOUNT.password, place: `127.0.0.1:${port}`, close },
    provider: (gate: EgressGate) => emailProvider({ gate, now: Date.now, timeoutMs: 500 }),
    received: () => smtp.mails.map(readMail),
    misbehave: (how: Misbehaviour) => void smtp.misbehaviours.push(how === 'redirect' ? 'refuse' : how),
    attempts: smtp.connections,
  };
};
providerContract('a mail server', open, { pauseMs: null, longIsSent: false, redirects: false });

describe('a channel of emails', () => {
  const HOST = 'mail.example';
  const usual = getCACertificates('default');
  let authority: CertificateAuthority;
  let opened: FakeSmtp[] = [];
  beforeAll(async () => {
    authority = await newCertificateAuthority();
  });
  beforeEach(() => setDefaultCACertificates([...usual, authority.cert]));
  afterEach(async () => {
    setDefaultCACertificates(usual);
    for (const each of opened) await each.close();
    opened = [];
  });

  const openTls = async (tls: FakeSmtpOptions['tls'], name = HOST): Promise<FakeSmtp> => {
    const certificate = await authority.issue([{ type: 'dns', value: name }]);
    const smtp = await openFakeSmtp({ tls, certificate, account: ACCOUNT });
    opened.push(smtp);
    return smtp;
  };
  interface Sent {
    readonly over?: Partial<KindSettings['email']>;
    readonly approval?: ShownApproval;
    readonly reference?: string | null;
    readonly password?: string;
  }
  const send = ({ port }: FakeSmtp, sent: Sent = {}): Promise<PostEnd> => {
    const { over, approval = newApproval(), reference = null, password: secret = ACCOUNT.password } = sent;
    const gate = new EgressGate(new Set([`${HOST}:${port}`]), () => Promise.resolve(['127.0.0.1']));
    const settings = { ...SETTINGS, host: HOST, port, ...over };
    const rest = { secret, reference, approval, change: 1, link: PAGE };
    return emailProvider({ gate, now: Date.now, timeoutMs: 2_000 }).send({
      channel_id: newId('channel'),
      settings,
      ...rest,
    });
  };

  it.each(['implicit', 'starttls'] as const)('signs in over %s TLS, and sends to its addresses alone', async (tls) => {
    const smtp = await openTls(tls);
    const approval = newApproval({ tool_id: 'x\r\nBcc: evil@evil.test\r\n\r\nhello' });
    expect(await send(smtp, { over: { tls }, approval })).toMatchObject({ sent: true });
    expect(smtp.mails).toMatchObject([{ from: 'writ@example.org', to: TO }]);
    expect(smtp.mails[0]?.headers).not.toMatch(/^Bcc/im);
    expect(smtp.mails[0]?.headers).toMatch(/^To: ops@example.org, lead@example.org$/m);
    expect(smtp.commands.findIndex((line) => line.startsWith('AUTH'))).toBeGreaterThan(0);
  });

  it.each(['implicit', 'starttls'] as const)(
    'sends nothing to a server with a certificate of another over %s TLS',
    async (tls) => {
      const smtp = await openTls(tls, 'other.example');
      expect(await send(smtp, { over: { tls } })).toMatchObject({ sent: false, isPassing: true });
      expect(smtp.commands.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
    },
  );

  it('sends no password to a server that offers no TLS', async () => {
    const smtp = await openTls('none');
    expect(await send(smtp, { over: { tls: 'starttls' } })).toMatchObject({ sent: false });
    expect(smtp.commands.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([]);
  });

  it('sends nothing in the clear to a host that the operator has not allowed', async () => {
    const smtp = await openTls('none');
    const gate = new EgressGate(new Set(), () => Promise.resolve(['93.184.216.34']));
    const settings = { ...SETTINGS, host: HOST, port: smtp.port };
    const post = { channel_id: newId('channel'), settings, secret: 'x', reference: null, change: 1, link: PAGE };
    const end = await emailProvider({ gate, now: Date.now, timeoutMs: 2_000 }).send({
      ...post,
      approval: newApproval(),
    });
    expect(end).toMatchObject({ sent: false, error: expect.stringMatching(/^url\.refused/) as string });
  });

  it('fails for good with a wrong password, which no error repeats', async () => {
    const smtp = await openTls('implicit');
    const end = await send(smtp, { over: { tls: 'implicit' }, password: 'wr0ng' });
    expect(end).toEqual({ sent: false, error: 'smtp: status 535', isPassing: false, retryMs: null });
  });

  it('puts the mails about one approval into one thread, and an attempt again has the same id', async () => {
    const smtp = await openTls('implicit');
    const [approval, channel_id] = [newApproval(), newId('channel')];
    const gate = new EgressGate(new Set([`${HOST}:${smtp.port}`]), () => Promise.resolve(['127.0.0.1']));
    const provider = emailProvider({ gate, now: Date.now, timeoutMs: 2_000 });
    const settings = { ...SETTINGS, tls: 'implicit', host: HOST, port: smtp.port } as const;
    const post = { channel_id, settings, secret: ACCOUNT.password, change: 1, link: PAGE };
    await provider.send({ ...post, reference: null, approval });
    const first = await provider.send({ ...post, reference: null, approval });
    const reference = first.sent ? first.reference : null;
    await provider.send({ ...post, reference, approval: { ...approval, votes: { ...approval.votes, given: 1 } } });
    await provider.send({ ...post, reference, approval: { ...approval, state: 'expired' } });
    const header = (name: string) =>
      smtp.mails.map(({ headers }) => new RegExp(`^${name}: (.*)$`, 'm').exec(headers)?.[1] ?? null);
    const id = `${approval.approval_id}.${channel_id}`;
    const asked = `<${id}@writ.example.org>`;
    expect(header('Message-ID')).toEqual([asked, asked, `<${id}.expired@writ.example.org>`]);
    expect(header('In-Reply-To')).toEqual([null, null, asked]);
    expect(header('References')).toEqual([null, null, asked]);
  });
});
