// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import { FakeIdentities } from '../../../specs/fake-identities.ts';
import { FakeSignIns } from '../../../specs/fake-sign-ins.ts';
import type { ProviderRow } from '../../../store/identities/identities.ts';
import { registration } from '../../../store/sign-ins/sign-ins.contract.ts';
import type { SignInKind } from '../../../store/sign-ins/sign-ins.ts';
import { SignInRecords } from './sign-in-records.ts';
import { SignInSessions } from './sign-in-sessions.ts';
import { isSessionText, sealIdentity, secretHashOf, SessionTexts } from './sign-in-texts.ts';

const KEY = Buffer.alloc(32, 1);
const IDLE_MS = 1_800_000;
const MAX_MS = 43_200_000;
const ROTATED_MS = 600_001;
const texts = new SessionTexts(KEY);

let tenant: TenantId;
let identities: FakeIdentities;
let rows: FakeSignIns;
let provider: ProviderRow;
let recorded: string[];
let isRecording: boolean;
let sessions: SignInSessions;
beforeEach(async () => {
  tenant = newId('tenant');
  identities = new FakeIdentities(new FakeApiKeys());
  rows = new FakeSignIns(identities);
  provider = await identities.put(tenant, registration(), 20);
  [recorded, isRecording] = [[], true];
  sessions = another();
});

/** The sessions as another replica sees them. */
function another(): SignInSessions {
  const changed = async (_by: unknown, { verb, subject }: { verb: string; subject: string }): Promise<void> => {
    if (!isRecording) throw new Fault('record.backlog');
    recorded.push(`${verb} ${subject}`);
  };
  const records = new SignInRecords({ changed });
  const lifetimes = { idleMs: IDLE_MS, maxMs: MAX_MS };
  return new SignInSessions({ rows, texts, records, lifetimes, monotonic: () => rows.now });
}
const pass = (ms: number): void => void (rows.ahead += ms);
async function begin(kind: SignInKind = 'browser', approved_by: `sgn_${string}` | null = null) {
  const text = texts.newText(tenant, newId('signIn'));
  const identity = { issuer: provider.issuer, subject: 'ann-1', name: null, agent_id: null, shown: 'Ann' };
  const whose = { subject_hash: randomBytes(32), person_id: newId('person'), credential_id: newId('apiKey') };
  const session = {
    ...{ sign_in_id: text.signInId, kind, client: kind === 'device' ? 'cli' : null, approved_by, ...whose },
    ...{
      provider_id: provider.provider_id,
      scopes: ['writ:admin'],
      groups: [],
      sealed: await sealIdentity(text, identity),
    },
    secret_hash: secretHashOf(text),
    authenticated_ms: null,
  };
  await rows.create(tenant, session, MAX_MS);
  return { text: texts.format(text), session };
}

it('the holder of a text has the session of the person who signed in', async () => {
  const { text, session } = await begin();
  const { sign_in_id: signInId, subject_hash: subjectHash } = session;
  const found = await sessions.find(text, 'browser');
  expect(found).toMatchObject({
    tenantId: tenant,
    signInId,
    subjectHash,
    identity: { subject: 'ann-1', shown: 'Ann' },
  });
  expect(found?.successor).toBeNull();
  expect(text.length).toBeLessThan(256);
  // What is stored opens nothing, and names nobody.
  expect(JSON.stringify(session)).not.toContain('ann-1');
});

it('a text of another tenant, a changed one, a made-up one and one of another deployment cost no look-up', async () => {
  const { text } = await begin();
  let count = 0;
  const find = rows.find.bind(rows);
  rows.find = (...given) => ((count += 1), find(...given));
  const elsewhere = new SessionTexts(Buffer.alloc(32, 2));
  const at = text.length - 60;
  for (const other of [
    '',
    text.slice(0, -1),
    `${text}A`,
    text.replace(/^writ_s_.{26}/, `writ_s_${newId('tenant').slice(4)}`),
    `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`,
    elsewhere.format(elsewhere.newText(tenant, newId('signIn'))),
  ])
    expect([await sessions.find(other, 'browser'), sessions.isGenuine(other)]).toEqual([null, false]);
  expect(count).toBe(0);
  expect(isSessionText(text)).toBe(true);
});

it('the session of a browser counts in a cookie alone, and that of a program never there', async () => {
  const [browser, device] = [await begin(), await begin('device')];
  expect(await sessions.find(browser.text, 'device')).toBeNull();
  expect(await sessions.find(device.text, 'browser')).toBeNull();
  // Also right after it was found where it counts.
  expect(await sessions.find(browser.text, 'browser')).not.toBeNull();
  expect(await sessions.find(browser.text, 'device')).toBeNull();
});

it('a session ends when it is idle for too long, and in any case after its longest time', async () => {
  const [idle, used] = [await begin(), await begin()];
  for (let passed = 0; passed < MAX_MS - 3 * IDLE_MS; passed += IDLE_MS / 2) {
    pass(IDLE_MS / 2);
    expect(await sessions.find(used.text, 'browser')).toMatchObject({ signInId: used.session.sign_in_id });
    used.text = (await sessions.find(used.text, 'browser'))?.successor ?? used.text;
  }
  expect(await sessions.find(idle.text, 'browser')).toBeNull();
  pass(3 * IDLE_MS);
  expect(await sessions.find(used.text, 'browser')).toBeNull();
});

it('twenty requests at once get the same new text, again until it is used, and all of them go on', async () => {
  const { text } = await begin();
  pass(ROTATED_MS);
  const replicas = [sessions, another(), another()];
  const found = await Promise.all(Array.from({ length: 20 }, (_, n) => replicas[n % 3]!.find(text, 'browser')));
  const successors = new Set(found.map((each) => each?.successor));
  expect(successors.size).toBe(1);
  const [next = ''] = [...successors] as string[];
  expect(next).not.toBe(text);
  // The answer with the new text was lost: the old one stays good, and gets it again.
  pass(300_000);
  expect((await sessions.find(text, 'browser'))?.successor).toBe(next);
  expect(await sessions.find(next, 'browser')).toMatchObject({ successor: null });
  pass(1_000);
  // Requests that were under way bring the old one.
  expect((await another().find(text, 'browser'))?.successor).toBe(next);
  expect(recorded).toEqual([]);
});

it('a text that was replaced ends the session for both holders once it comes late, with one record for each', async () => {
  const { text, session } = await begin();
  const device = await begin('device', session.sign_in_id as `sgn_${string}`);
  const form = (await sessions.find(text, 'browser'))?.formToken('x');
  pass(ROTATED_MS);
  const next = (await sessions.find(text, 'browser'))?.successor ?? '';
  const renewed = await sessions.find(next, 'browser');
  // Forms of pages that are open stay good.
  expect(renewed?.formToken('x')).toBe(form);
  pass(30_001);
  const thieves = Array.from({ length: 10 }, () => sessions.find(text, 'browser'));
  expect(new Set(await Promise.all(thieves))).toEqual(new Set([null]));
  const ended = `sign_in_ended ${device.session.sign_in_id}`;
  expect(recorded).toEqual([`session_reused ${session.sign_in_id}`, ended]);
  pass(1_000);
  for (const replica of [sessions, another()]) {
    expect(await replica.find(next, 'browser')).toBeNull();
    expect(await replica.find(device.text, 'device')).toBeNull();
  }
  const listed = await rows.read(tenant, session.sign_in_id, 'tenant');
  expect(listed).toMatchObject({ ended_by: 'reuse' });
});

it('what can not be recorded does not happen: the late text is refused, and the session goes on', async () => {
  const { text } = await begin();
  pass(ROTATED_MS);
  const next = (await sessions.find(text, 'browser'))?.successor ?? '';
  await sessions.find(next, 'browser');
  pass(30_001);
  isRecording = false;
  await expect(sessions.find(text, 'browser')).rejects.toMatchObject({ code: 'record.backlog' });
  expect(await sessions.find(next, 'browser')).not.toBeNull();
  isRecording = true;
  expect(await sessions.find(text, 'browser')).toBeNull();
  expect(await sessions.find(next, 'browser')).toBeNull();
});

it('a session that ended at another replica is refused within a second', async () => {
  const { text, session } = await begin();
  expect(await sessions.find(text, 'browser')).not.toBeNull();
  await rows.end(tenant, session.sign_in_id, { by: 'key_x', of: 'tenant' });
  pass(1_000);
  expect(await sessions.find(text, 'browser')).toBeNull();
  expect(await sessions.follow(text, 'browser')).toBeNull();
});

it('a text of a session that ended costs one look-up in a while, whichever way it is presented', async () => {
  let count = 0;
  const find = rows.find.bind(rows);
  rows.find = (...given) => ((count += 1), find(...given));
  const [device, browser] = [await begin('device'), await begin()];
  for (const { session } of [device, browser])
    await rows.end(tenant, session.sign_in_id, { by: 'key_x', of: 'tenant' });
  for (let n = 0; n < 20; n += 1) {
    expect(await sessions.find(device.text, 'device')).toBeNull();
    expect(await sessions.refresh(device.text)).toBeNull();
    expect(await sessions.follow(device.text, 'device')).toBeNull();
    expect(await sessions.find(browser.text, 'browser')).toBeNull();
  }
  expect(count).toBe(2);
  // In a place where it doesn't count it costs no more, and where it counts it stays good.
  const other = await begin();
  for (let n = 0; n < 20; n += 1) expect(await sessions.find(other.text, 'device')).toBeNull();
  expect(count).toBe(3);
  expect(await sessions.find(other.text, 'browser')).not.toBeNull();
  // A registration that is restored restores its sessions.
  await identities.put(tenant, registration({ issuer: provider.issuer, sign_in: null }), 20);
  pass(1_000);
  expect(await sessions.find(other.text, 'browser')).toBeNull();
  await identities.put(tenant, registration({ issuer: provider.issuer }), 20);
  pass(10_001);
  expect(await sessions.find(other.text, 'browser')).not.toBeNull();
});

it('a program that asks for its next text again and again costs one look-up a second', async () => {
  let count = 0;
  const find = rows.find.bind(rows);
  rows.find = (...given) => ((count += 1), find(...given));
  const { text, session } = await begin('device');
  const first = await sessions.refresh(text);
  for (let n = 0; n < 20; n += 1) expect((await sessions.refresh(text))?.text).toBe(first?.text);
  expect(count).toBe(1);
  await rows.end(tenant, session.sign_in_id, { by: 'key_x', of: 'tenant' });
  pass(1_000);
  expect(await sessions.refresh(text)).toBeNull();
});

it('a stream goes on while its text is replaced, and ends with the session', async () => {
  const { text, session } = await begin('device');
  const next = (await sessions.refresh(text))?.text ?? '';
  expect(await sessions.find(next, 'device')).not.toBeNull();
  pass(600_000);
  expect(await sessions.follow(text, 'device')).toMatchObject({ signInId: session.sign_in_id });
  expect(await sessions.follow(text, 'browser')).toBeNull();
  expect(recorded).toEqual([]);
  await rows.end(tenant, session.sign_in_id, { by: 'key_x', of: 'tenant' });
  sessions.forget();
  expect(await sessions.follow(text, 'device')).toBeNull();
});

it('a program gets the same new text each time that it asks, and nothing for a session of a browser', async () => {
  const { text } = await begin('device');
  const first = await sessions.refresh(text);
  pass(60_000);
  expect((await sessions.refresh(text))?.text).toBe(first?.text);
  expect(await sessions.find(text, 'device')).toMatchObject({ successor: null });
  expect(await sessions.refresh((await begin()).text)).toBeNull();
  expect(await sessions.refresh('made up')).toBeNull();
});
