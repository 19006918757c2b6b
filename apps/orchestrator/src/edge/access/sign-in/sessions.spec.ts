// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { newId } from '@writ/nest-kit';
import { FakeBrowserSessions } from '../../../specs/fake-browser-sessions.ts';
import type { BrowserSessionRow } from '../../../store/identities/browser-sessions.ts';
import { isFormOf, Sessions } from './sessions.ts';

const KEY = Buffer.alloc(32, 1);
const person = () => ({
  tenantId: newId('tenant'),
  providerId: newId('identityProvider'),
  subjectHash: randomBytes(32),
  shown: 'ann@example.org',
  issuer: 'https://login.example.org',
  returnTo: '/connect/x',
});

it('the session of a cookie is that of the person who signed in, until it ends', async () => {
  const sessions = new Sessions(new FakeBrowserSessions(), KEY);
  const ann = person();
  const cookie = await sessions.begin(ann);
  const { tenantId, subjectHash, shown, issuer } = ann;
  expect(await sessions.find(cookie)).toMatchObject({ tenantId, subjectHash, shown, issuer });
  await sessions.end(cookie);
  expect(await sessions.find(cookie)).toBeNull();
});

it('a cookie of another tenant, a changed one and a made-up one are of no session', async () => {
  const sessions = new Sessions(new FakeBrowserSessions(), KEY);
  const cookie = await sessions.begin(person());
  const [tenantId = '', secret = '', code = ''] = cookie.split('.');
  for (const text of [
    undefined,
    '',
    secret,
    `${tenantId}.${secret}`,
    `${newId('tenant')}.${secret}.${code}`,
    `${tenantId}.${randomBytes(32).toString('base64url')}.${code}`,
    `${tenantId}.${secret}.${randomBytes(32).toString('base64url')}`,
    `${tenantId}.${secret}x.${code}`,
    `../${tenantId}.${secret}.${code}`,
  ])
    expect(await sessions.find(text)).toBeNull();
});

it('a cookie that was made up, or is of another deployment, costs no look-up', async () => {
  let count = 0;
  class Counted extends FakeBrowserSessions {
    override async find(...args: Parameters<FakeBrowserSessions['find']>) {
      count += 1;
      return await super.find(...args);
    }
  }
  const sessions = new Sessions(new Counted(), KEY);
  const elsewhere = await new Sessions(new FakeBrowserSessions(), Buffer.alloc(32, 2)).begin(person());
  for (const text of [elsewhere, `${newId('tenant')}.${'A'.repeat(43)}.${'A'.repeat(43)}`])
    expect(await sessions.find(text)).toBeNull();
  expect(count).toBe(0);
  expect(await sessions.find(await sessions.begin(person()))).not.toBeNull();
  expect(count).toBe(1);
});

it('what is stored names nobody, and opens no session', async () => {
  const stored: BrowserSessionRow[] = [];
  class Watched extends FakeBrowserSessions {
    override async create(...args: Parameters<FakeBrowserSessions['create']>): Promise<void> {
      stored.push(args[1]);
      await super.create(...args);
    }
  }
  const sessions = new Sessions(new Watched(), KEY);
  const ann = person();
  const cookie = await sessions.begin(ann);
  const [row] = stored;
  expect(row?.shown).not.toContain('ann');
  expect(Buffer.from(row?.shown.split('.')[3] ?? '', 'base64url').toString()).not.toContain('ann');
  const [, , code = ''] = cookie.split('.');
  const forged = `${ann.tenantId}.${row?.session_hash.toString('base64url') ?? ''}.${code}`;
  expect(await sessions.find(forged)).toBeNull();
  // What the kernel gets leads neither to the row nor to the cookie.
  const session = await sessions.find(cookie);
  expect(session?.sessionHash.equals(row?.session_hash ?? Buffer.alloc(0))).toBe(false);
});

it('each sign-in has a session of its own, and a form counts in its session for its purpose alone', async () => {
  const sessions = new Sessions(new FakeBrowserSessions(), KEY);
  const ann = person();
  const [one, other] = [await sessions.find(await sessions.begin(ann)), await sessions.find(await sessions.begin(ann))];
  if (one === null || other === null) throw new Error('a session is missing');
  expect(one.sessionHash.equals(other.sessionHash)).toBe(false);
  expect(isFormOf(one, 'confirm x', one.formToken('confirm x'))).toBe(true);
  for (const given of [null, '', other.formToken('confirm x'), one.formToken('confirm y'), one.formToken('sign-out')])
    expect(isFormOf(one, 'confirm x', given)).toBe(false);
});
