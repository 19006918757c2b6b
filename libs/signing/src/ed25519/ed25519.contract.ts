// SPDX-License-Identifier: Apache-2.0
//
// The verdicts that all platforms must share. Not part of the package.
import type { Ed25519 } from './ed25519.ts';

interface Vector {
  readonly what: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly isGood: boolean;
}

/** RFC 8032 §7.1, tests 1 to 3. */
const RFC8032: readonly Vector[] = [
  {
    what: 'an empty message',
    isGood: true,
    message: '',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    what: 'one byte',
    isGood: true,
    message: '72',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    what: 'two bytes',
    isGood: true,
    message: 'af82',
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
];

const SMALL = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa';
const MIXED = 'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43';
const MIXED_TWO = 'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d';
const PRIME = '442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623';

/**
 * Chalkias, Garillot and Nikolaenko, "Taming the many EdDSAs" (https://eprint.iacr.org/2020/1244), table 5: vectors 0
 * to 9 in order. Points of small order are refused; otherwise the verdict is that of the equation without the cofactor.
 */
const TAMING: readonly Vector[] = [
  {
    what: 'S is 0, key and R are of small order',
    isGood: false,
    publicKey: SMALL,
    message: '8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6',
    signature:
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a0000000000000000000000000000000000000000000000000000000000000000',
  },
  {
    what: 'the key is of small order',
    isGood: false,
    publicKey: SMALL,
    message: '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
    signature:
      'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04',
  },
  {
    what: 'R is of small order',
    isGood: false,
    publicKey: MIXED,
    message: 'aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab',
    signature:
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e',
  },
  {
    what: 'key and R are of mixed order',
    isGood: true,
    publicKey: MIXED_TWO,
    message: '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
    signature:
      '9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009',
  },
  {
    what: 'it holds with the cofactor alone',
    isGood: false,
    publicKey: MIXED_TWO,
    message: 'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
    signature:
      '160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09',
  },
  {
    what: 'it holds with the cofactor alone, and not if the hash is reduced before',
    isGood: false,
    publicKey: MIXED_TWO,
    message: 'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
    signature:
      '21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405',
  },
  {
    what: 'S is beyond the order',
    isGood: false,
    publicKey: PRIME,
    message: '85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40',
    signature:
      'e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514',
  },
  {
    what: 'S is far beyond the order',
    isGood: false,
    publicKey: PRIME,
    message: '85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40',
    signature:
      '8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa19427e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22',
  },
  {
    what: 'R is written in another way, and was hashed as it is',
    isGood: false,
    publicKey: MIXED,
    message: 'fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a',
    signature:
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607',
  },
  {
    what: 'R is written in another way',
    isGood: false,
    publicKey: MIXED,
    message: '84b698d39be126ff55fe45079e6c8bf64a0d7db6994560b4e96b7021eb39c1a1',
    signature:
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f084d5b99c2a9463d9c8bd5026916996984eeec87ddf1d3be329006ace1b37b09',
  },
];

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

export function ed25519Contract(name: string, ed25519: Ed25519): void {
  describe(`Ed25519, ${name}`, () => {
    it.each([...RFC8032, ...TAMING])(
      'has the published verdict if $what',
      async ({ publicKey, message, signature, isGood }) => {
        const key = ed25519.publicKeyOf(bytesOf(publicKey));
        expect([
          key.verify(bytesOf(message), bytesOf(signature)),
          await key.verifyOnThread(bytesOf(message), bytesOf(signature)),
        ]).toEqual([isGood, isGood]);
      },
    );

    it('refuses a signature with one bit changed, or a byte missing or added', () => {
      const { publicKey, message, signature } = RFC8032[2]!;
      const [key, bytes, good] = [ed25519.publicKeyOf(bytesOf(publicKey)), bytesOf(message), bytesOf(signature)];
      for (let bit = 0; bit < good.length * 8; bit += 7) {
        const bad = good.slice();
        bad[bit >> 3]! ^= 1 << (bit & 7);
        expect([bit, key.verify(bytes, bad)]).toEqual([bit, false]);
      }
      for (const bad of [good.slice(1), good.slice(0, 63), new Uint8Array([...good, 0]), new Uint8Array()])
        expect(key.verify(bytes, bad)).toBe(false);
      expect(key.verify(bytesOf('af83'), good)).toBe(false);
    });

    it('refuses signatures under invalid keys', () => {
      const { message, signature } = RFC8032[0]!;
      for (const publicKey of [`02${'00'.repeat(31)}`, 'ff'.repeat(32)])
        expect(ed25519.publicKeyOf(bytesOf(publicKey)).verify(bytesOf(message), bytesOf(signature))).toBe(false);
    });
  });
}
