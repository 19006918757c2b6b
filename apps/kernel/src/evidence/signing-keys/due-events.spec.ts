// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { parseSigner, ringOf, withNext, withRevoked, type Signer } from '@writ/signing';
import { CLOSED_MS, dueEvents, eventNameOf } from './due-events.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const [one, two, three] = [newSigner(), newSigner(), newSigner()];
const rotated = withNext(ringOf(one), { signer: two, now: 100, overlapMs: 50 });
const eventsOf = (...args: Parameters<typeof dueEvents>): unknown[] =>
  dueEvents(...args).map(({ event: { event, keyid, from }, due }) => [event, keyid, from, due]);

it('a ring that never changed has no events', () => {
  expect(dueEvents(ringOf(one), 1_000_000)).toEqual([]);
});

it('a key is introduced before it signs, and the previous one retires as it begins', () => {
  expect(dueEvents(rotated, 99)).toEqual([]);
  expect(eventsOf(rotated, 149)).toEqual([['introduced', two.keyid, 150, 100]]);
  expect(eventsOf(rotated, 150)).toEqual([
    ['introduced', two.keyid, 150, 100],
    ['retired', one.keyid, 150, 150],
  ]);
});

it('a revocation is due once the key has been closed for a while, under any key that is not revoked itself', () => {
  const revoked = withRevoked(withNext(rotated, { signer: three, now: 200, overlapMs: 50 }), {
    keyid: one.keyid,
    now: 300,
    from: 120,
    settleMs: 30,
  });
  const due = 330 + CLOSED_MS;
  expect(eventsOf(revoked, due - 1)).not.toContainEqual(expect.arrayContaining(['revoked']));
  const last = dueEvents(revoked, due).at(-1);
  expect(last).toMatchObject({
    due,
    event: { event: 'revoked', purpose: 'record', keyid: one.keyid, x: one.publicJwk.x, from: 120 },
  });
  expect(last?.names).toEqual([two, three].map(({ keyid }) => `revoked ${one.keyid} ${keyid}`));
  const both = dueEvents(withRevoked(revoked, { keyid: two.keyid, now: 400, from: 400, settleMs: 30 }), 1_000_000).find(
    ({ event }) => event.keyid === one.keyid,
  );
  expect(both?.names).toEqual([eventNameOf(both!.event, three.keyid)]);
});
