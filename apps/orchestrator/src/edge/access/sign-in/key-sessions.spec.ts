// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { newId } from '@writ/nest-kit';
import { assert, constantFrom, integer, oneof, property, string, stringMatching, tuple } from 'fast-check';
import { formatApiKey } from '../api-key-text.ts';
import { isKeySessionText, KeySessions, type KeySessionsConfig } from './key-sessions.ts';
import { SessionTexts } from './sign-in-texts.ts';

const START = 1_800_000_000_000;
const MAX_MS = 43_200_000;
const key = formatApiKey(newId('apiKey'), randomBytes(32));
let now: number;
beforeEach(() => {
  now = START;
});
const sessionsWith = (more: Partial<KeySessionsConfig> = {}): KeySessions =>
  new KeySessions({ isOn: true, key: Buffer.alloc(32, 1), maxMs: MAX_MS, now: () => now, ...more });

it('a session has its key and its end, and no part of its text shows the key', () => {
  const { text, seconds } = sessionsWith().begin(key, null);
  expect(sessionsWith().open(text)).toMatchObject({ key, expiresAt: START + MAX_MS });
  expect([seconds, isKeySessionText(text)]).toEqual([MAX_MS / 1_000, true]);
  const secret = key.slice(-43);
  const bytes = Buffer.from(text.slice('writ_k_'.length), 'base64url').toString('latin1');
  for (const shown of [text, bytes]) expect(shown).not.toContain(secret);
});

it('a session ends with its key where the key ends earlier, and is over from that moment on', () => {
  const sessions = sessionsWith();
  const { text, seconds } = sessions.begin(key, START + 1_500);
  const session = sessions.open(text);
  expect([session?.expiresAt, seconds]).toEqual([START + 1_500, 2]);
  if (session === null) throw new Error('the session is not opened');
  now = START + 1_499;
  expect(sessions.isOver(session)).toBe(false);
  now = START + 1_500;
  expect(sessions.isOver(session)).toBe(true);
  expect(sessions.open(sessions.begin(key, START + 10 * MAX_MS).text)?.expiresAt).toBe(now + MAX_MS);
});

it('two sessions of one key have different texts and tokens, and each purpose has a token of its own', () => {
  const sessions = sessionsWith();
  const [one, other] = [sessions.begin(key, null).text, sessions.begin(key, null).text];
  const tokens = [one, other].flatMap((text) =>
    ['api', 'sign-out'].map((purpose) => sessions.open(text)?.formToken(purpose)),
  );
  expect(one).not.toBe(other);
  expect(new Set(tokens).size).toBe(4);
  // The same at each replica, and at each request.
  expect(sessionsWith().open(one)?.formToken('api')).toBe(tokens[0]);
});

it('turned off, no session begins, and one that began before is not opened', () => {
  const { text } = sessionsWith().begin(key, null);
  const off = sessionsWith({ isOn: false });
  expect(off.open(text)).toBeNull();
  expect(() => off.begin(key, null)).toThrow('turned off');
});

it('a text of another deployment, and one of a session of an identity provider, is not opened', () => {
  const { text } = sessionsWith({ key: Buffer.alloc(32, 2) }).begin(key, null);
  const texts = new SessionTexts(Buffer.alloc(32, 1));
  const other = texts.format(texts.newText(newId('tenant'), newId('signIn')));
  for (const each of [text, other]) expect(sessionsWith().open(each)).toBeNull();
  expect(isKeySessionText(other)).toBe(false);
});

it('no text that was not handed out here is opened, whatever it is', () => {
  const sessions = sessionsWith();
  const arbitrary = oneof(string(), stringMatching(/^writ_k_[A-Za-z0-9_-]{60,300}$/), constantFrom('', 'writ_k_', key));
  assert(property(arbitrary, (text) => sessions.open(text) === null));
});

it('no change of one character leaves a text that is opened', () => {
  const sessions = sessionsWith();
  const { text } = sessions.begin(key, null);
  const character = stringMatching(/^[A-Za-z0-9_=+/ -]$/);
  assert(
    property(tuple(integer({ min: 0, max: text.length }), character, constantFrom(0, 1)), ([at, put, removed]) => {
      const changed = `${text.slice(0, at)}${put}${text.slice(at + removed)}`;
      return changed === text || sessions.open(changed) === null;
    }),
    { numRuns: 2_000 },
  );
});
