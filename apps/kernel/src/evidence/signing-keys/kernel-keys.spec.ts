// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { FixedKeys, parseSigner, ringOf, withNext, withRevoked, type KeyRing, type Signer } from '@writ/signing';
import { KernelKeys } from './kernel-keys.ts';

const newSigner = (): Signer =>
  parseSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
const [one, two, record] = [newSigner(), newSigner(), newSigner()];
const rotated = withNext(ringOf(one), { signer: two, now: 100, overlapMs: 50 });
const keysOf = (ring: KeyRing, now: number): KernelKeys =>
  new KernelKeys({ permitKeys: new FixedKeys(ring), recordKeys: FixedKeys.of(record), checkpointKeys: null }, now);

it('redeems permits of the key that signs, of the next one, and of the last one for as long as one of its may be out', () => {
  const keys = keysOf(rotated, 120);
  const map = keys.permitVerifiers;
  expect([keys.permit.keyid, [...map.keys()]]).toEqual([one.keyid, [one.keyid, two.keyid]]);
  keys.turn(150);
  expect([keys.permit.keyid, [...map.keys()]]).toEqual([two.keyid, [one.keyid, two.keyid]]);
  keys.turn(150 + 16 * 60_000);
  expect([...map.keys()]).toEqual([two.keyid]);
});

it('redeems nothing more by a permit key that was revoked, not even while it is still closing', () => {
  const revoked = withRevoked(rotated, { keyid: one.keyid, now: 140, from: 140, settleMs: 30 });
  expect([...keysOf(revoked, 141).permitVerifiers.keys()]).toEqual([two.keyid]);
});

it('says that it is not able to work where nothing may sign', () => {
  const keys = keysOf(rotated, 120);
  expect(() => keys.verifyAble()).not.toThrow();
  const closed = { keys: ringOf(one).keys.map((key) => ({ ...key, revoked: { at: 1, from: 1, closes_at: 130 } })) };
  const lost = keysOf(closed, 120);
  lost.turn(130);
  expect(() => lost.verifyAble()).toThrow('no key may sign');
  expect(() => keysOf(closed, 130)).toThrow('no permit key may sign');
});
