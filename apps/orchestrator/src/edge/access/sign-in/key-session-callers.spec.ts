// SPDX-License-Identifier: Apache-2.0
// Who the caller of an API key's session is, and for how long a stream of theirs goes on.
import type { Caller } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { FakeApiKeys } from '../../../specs/fake-api-keys.ts';
import { formatApiKey, hashApiKey } from '../api-key-text.ts';
import { Authenticator, type Identification } from '../authenticator.ts';
import { FailedKeys } from '../failed-keys.ts';
import { KeySessions } from './key-sessions.ts';

const ADDRESS = '192.0.2.1';
const MAX_MS = 60_000;
const tenant = newId('tenant');
const id = newId('apiKey');
const key = formatApiKey(id, Buffer.alloc(32, 7));
let now: number;
let keys: FakeApiKeys;
let noted: string[];

beforeEach(async () => {
  [now, noted, keys] = [5_000, [], new FakeApiKeys(() => now)];
  const row = { api_key_id: id, name: 'x', role: 'auditor', agent_id: null, created_by: 'spec' } as const;
  await keys.create(tenant, { ...row, hash: hashApiKey(key), scopes: ['log:read'] });
});

const sessions = (isOn = true): KeySessions =>
  new KeySessions({ isOn, key: Buffer.alloc(32, 1), maxMs: MAX_MS, now: () => now });
function authenticatorWith(keySessions: KeySessions): Authenticator {
  const persons = { withPerson: async (caller: Caller) => caller, forget: () => undefined };
  const nothing = { forget: () => undefined };
  const identification = { persons, keySessions, tokens: nothing, sessions: nothing } as unknown as Identification;
  const failed = new FailedKeys(100, () => now);
  const uses = { note: (used: string) => void noted.push(used) };
  return new Authenticator(keys, Buffer.from(sha256(Buffer.from('platform'))), () => now, failed, identification, uses);
}
/** A stream that a session began, and what the authenticator says of it later. */
async function stream(): Promise<() => Promise<void>> {
  const authenticator = authenticatorWith(sessions());
  const cookie = sessions().begin(key, null).text;
  const { identified } = await authenticator.identifyCookie(cookie, ADDRESS);
  return () => authenticator.verifyCaller(identified.caller, { authorization: undefined, cookie }, ADDRESS);
}

it('the caller is that of the key, with the scopes of the key, and each use is noted', async () => {
  const authenticator = authenticatorWith(sessions());
  const { identified, session } = await authenticator.identifyCookie(sessions().begin(key, null).text, ADDRESS);
  expect(identified).toEqual(await authenticator.identifyFully(`Bearer ${key}`, ADDRESS));
  expect([identified.scopes, session]).toEqual([['log:read'], null]);
  expect(noted).toEqual([id, id]);
});

it('a stream ends within a second after its key is revoked at another replica', async () => {
  const verify = await stream();
  await verify();
  await keys.revoke(tenant, id);
  now += 1_000;
  await expect(verify()).rejects.toMatchObject({ code: 'auth.invalid' });
});

it('a stream ends with its session, though its key goes on', async () => {
  const verify = await stream();
  now += MAX_MS - 1;
  await verify();
  now += 1;
  await expect(verify()).rejects.toMatchObject({ code: 'auth.invalid' });
});

it('a stream does not go on for the session of another key', async () => {
  const [authenticator, cookie] = [authenticatorWith(sessions()), sessions().begin(key, null).text];
  const other = { tenant_id: tenant, api_key_id: newId('apiKey'), role: 'auditor' } as unknown as Caller;
  await expect(authenticator.verifyCaller(other, { authorization: undefined, cookie }, ADDRESS)).rejects.toMatchObject({
    code: 'auth.invalid',
  });
});

it('turned off, a session that began before has no caller', async () => {
  const cookie = sessions().begin(key, null).text;
  const authenticator = authenticatorWith(sessions(false));
  await expect(authenticator.identifyCookie(cookie, ADDRESS)).rejects.toMatchObject({ code: 'auth.invalid' });
});
