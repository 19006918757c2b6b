// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, toHex } from '@writ/digest';
import fc from 'fast-check';
import { parseVerifier, publicJwkOf } from '../keys.ts';
import { reasonOf, RFC8032_PEM } from '../vectors.contract.ts';
import { ed25519Contract } from './ed25519.contract.ts';
import type { Ed25519 } from './ed25519.ts';
import { engine, platform as node } from './node.ts';
import { openssl } from './openssl.ts';
import { platform as portable } from './portable.ts';
import { isBeyondP, isOfSmallOrder } from './point.ts';

const PLATFORMS: Readonly<Record<string, Ed25519>> = {
  'by OpenSSL': openssl,
  'in JavaScript alone': portable,
  ...(engine.name === 'libsodium' ? { 'by libsodium': node } : {}),
};
for (const [name, platform] of Object.entries(PLATFORMS)) ed25519Contract(name, platform);
if (engine.name !== 'libsodium') it.skip(`libsodium is not looked at: ${engine.without ?? ''}`, () => undefined);

const { Point } = ed25519;
const TORSION = Array.from({ length: 8 }, (_, i) =>
  Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', true).multiplyUnsafe(BigInt(i)),
);
const P = 2n ** 255n - 19n;

/** Every encoding of 32 bytes of a point: that of RFC 8032, the other sign if x is 0, and y + p if that fits. */
function encodingsOf(point: (typeof TORSION)[number]): Uint8Array[] {
  const { x, y } = point.toAffine();
  const signs = x === 0n ? [0n, 1n] : [x & 1n];
  const ys = [y, y + P].filter((value) => value < 2n ** 255n);
  return ys.flatMap((value) =>
    signs.map((sign) =>
      Uint8Array.from({ length: 32 }, (_, i) => Number(((value | (sign << 255n)) >> BigInt(8 * i)) & 0xffn)),
    ),
  );
}

const bytesOf = (scalar: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((scalar >> BigInt(8 * i)) & 0xffn));

describe('a key that is encoded beyond p', () => {
  it('is invalid, for each of the nineteen values and both signs', () => {
    for (let y = P; y < 2n ** 255n; y += 1n) {
      for (const key of [y, y | (1n << 255n)].map(bytesOf)) {
        expect([toHex(key), isBeyondP(key), reasonOf(() => parseVerifier(publicJwkOf(key)))]).toEqual([
          toHex(key),
          true,
          'malformed_key',
        ]);
      }
    }
  });

  it('is not taken for one that is not', () => {
    expect([P - 1n, P - 2n, P - 256n, 0xffn, (P - 1n) | (1n << 255n)].map((y) => isBeyondP(bytesOf(y)))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    fc.assert(
      fc.property(
        fc.bigInt(1n, Point.Fn.ORDER - 1n),
        (scalar) => !isBeyondP(Point.BASE.multiplyUnsafe(scalar).toBytes()),
      ),
      { numRuns: 20 },
    );
  });
});

describe('a key of small order', () => {
  it('is none, however it is written', () => {
    const all = TORSION.flatMap(encodingsOf);
    expect(all).toHaveLength(14);
    for (const encoding of all) {
      expect(isOfSmallOrder(encoding)).toBe(true);
      expect(reasonOf(() => parseVerifier(publicJwkOf(encoding)))).toBe('malformed_key');
    }
  });

  it('is not taken for one that is not', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, Point.Fn.ORDER - 1n),
        (scalar) => !isOfSmallOrder(Point.BASE.multiplyUnsafe(scalar).toBytes()),
      ),
      { numRuns: 20 },
    );
  });
});

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

describe('all platforms have the same verdict', () => {
  const verdictOf = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
    const byOpenssl = openssl.publicKeyOf(key).verify(message, signature);
    for (const [name, platform] of Object.entries(PLATFORMS))
      expect([name, toHex(key), toHex(signature), platform.publicKeyOf(key).verify(message, signature)]).toEqual([
        name,
        toHex(key),
        toHex(signature),
        byOpenssl,
      ]);
    return byOpenssl;
  };

  it('on every encoding of every point of small order as key and as R, with S on both sides of the order', () => {
    const points = [...TORSION, Point.BASE, Point.BASE.add(TORSION[1]!)].flatMap(encodingsOf);
    const scalars = [0n, 1n, Point.Fn.ORDER - 1n, Point.Fn.ORDER, Point.Fn.ORDER + 1n].map(bytesOf);
    for (const [i, key] of points.entries())
      for (const [j, r] of points.entries())
        verdictOf(key, Uint8Array.of(i, j), concatBytes([r, scalars[(i + j) % scalars.length]!]));
  });

  it('on signatures that are valid up to a point of small order', () => {
    const [secret, nonce, message] = [7n, 11n, Uint8Array.of(1, 2, 3)];
    let good = 0;
    for (const ofKey of TORSION) {
      for (const ofNonce of TORSION) {
        const [key, r] = [
          Point.BASE.multiply(secret).add(ofKey).toBytes(),
          Point.BASE.multiply(nonce).add(ofNonce).toBytes(),
        ];
        const s =
          (nonce + (integerOf(sha512(concatBytes([r, key, message]))) % Point.Fn.ORDER) * secret) % Point.Fn.ORDER;
        good += Number(verdictOf(key, message, concatBytes([r, bytesOf(s)])));
        // The same number in a second encoding: accepting it would make a signature malleable.
        expect(verdictOf(key, message, concatBytes([r, bytesOf(s + Point.Fn.ORDER)]))).toBe(false);
      }
    }
    expect(good).toBeGreaterThan(0);
    expect(good).toBeLessThan(32);
  });
});

it('signatures have the same bytes on all platforms of Node.js, and verify everywhere', () => {
  const [key, slower] = [node.privateKeyOf(RFC8032_PEM), openssl.privateKeyOf(RFC8032_PEM)];
  expect(key.publicKey).toEqual(slower.publicKey);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const signature = key.sign(bytes);
      expect(signature).toEqual(slower.sign(bytes));
      return Object.values(PLATFORMS).every((platform) => platform.publicKeyOf(key.publicKey).verify(bytes, signature));
    }),
    { numRuns: 20 },
  );
  expect(() => portable.privateKeyOf(RFC8032_PEM)).toThrow('Node.js');
});
