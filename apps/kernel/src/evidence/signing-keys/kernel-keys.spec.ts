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

it('permits of the signing key, of the next one, and of the previous one while its permits may be valid, are redeemed', () => {
  const keys = keysOf(rotated, 120);
  const map = keys.permitVerifiers;
  expect([keys.permit.keyid, [...map.keys()]]).toEqual([one.keyid, [one.keyid, two.keyid]]);
  keys.applyRings(150);
  expect([keys.permit.keyid, [...map.keys()]]).toEqual([two.keyid, [one.keyid, two.keyid]]);
  keys.applyRings(150 + 16 * 60_000);
  expect([...map.keys()]).toEqual([two.keyid]);
});

it('permits of a revoked key are not redeemed, even while it is still closing', () => {
  const revoked = withRevoked(rotated, { keyid: one.keyid, now: 140, from: 140, settleMs: 30 });
  expect([...keysOf(revoked, 141).permitVerifiers.keys()]).toEqual([two.keyid]);
});

it("a kernel without a key that may sign reports that it can't work", () => {
  const keys = keysOf(rotated, 120);
  expect(() => keys.verifyCanSign()).not.toThrow();
  const closed = { keys: ringOf(one).keys.map((key) => ({ ...key, revoked: { at: 1, from: 1, closes_at: 130 } })) };
  const lost = keysOf(closed, 120);
  lost.applyRings(130);
  expect(() => lost.verifyCanSign()).toThrow('no key may sign');
  expect(() => keysOf(closed, 130)).toThrow('no permit key may sign');
});
