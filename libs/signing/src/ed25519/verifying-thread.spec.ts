// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { engine } from './node.ts';
import { pack, unpack, type SignatureCheck } from './packed.ts';
import { BATCH_MAX, VerifyingThread } from './verifying-thread.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url'));
const askedOf = (text: string, isGood: boolean): SignatureCheck => ({
  publicKey: key,
  signature: new Uint8Array(sign(null, Buffer.from(isGood ? text : `${text}!`), privateKey)),
  bytes: new Uint8Array(Buffer.from(text)),
});
const never = (): Promise<boolean> => Promise.reject(new Error('the thread was to answer'));

it('unpacking returns what was packed', () => {
  const asked = fc.record({
    publicKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
    bytes: fc.uint8Array({ maxLength: 100 }),
  });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 10 }), (all) => {
      expect(unpack(pack(all))).toEqual(all);
    }),
  );
});

(engine.name === 'libsodium' ? describe : describe.skip)('a thread that verifies (where libsodium loads)', () => {
  it('answers each of many checks separately, however they arrive', async () => {
    const thread = new VerifyingThread(createRequire(import.meta.url).resolve('sodium-native'));
    const goods = Array.from({ length: 3 * BATCH_MAX + 5 }, (_, i) => i % 3 !== 0);
    const ask = (isGood: boolean, i: number) => thread.verify(askedOf(String(i), isGood), never);
    const first = goods.slice(0, BATCH_MAX + 9).map(ask);
    expect(await first[0]).toBe(false);
    expect(await Promise.all([...first, ...goods.slice(BATCH_MAX + 9).map(ask)])).toEqual(goods);
  });
});

it('after a thread ended, the fallback answers its checks and all later ones', async () => {
  const thread = new VerifyingThread('/nowhere');
  const answers = [true, false, true].map((verdict) =>
    thread.verify(askedOf('x', true), () => Promise.resolve(verdict)),
  );
  expect(await Promise.all(answers)).toEqual([true, false, true]);
  expect(await thread.verify(askedOf('x', true), () => Promise.resolve(false))).toBe(false);
});
