// SPDX-License-Identifier: Apache-2.0
import { utf8Bytes } from '../bytes.ts';
import type { Sha256 } from './platform.ts';

/**
 * Vectors of FIPS 180-4 by NIST (https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values):
 * message and digest.
 */
const VECTORS: readonly (readonly [message: string, digest: string])[] = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
];

export function sha256Contract(name: string, hash: Sha256): void {
  describe(`SHA-256, ${name}`, () => {
    it('returns the published digests', () => {
      for (const [message, digest] of VECTORS) {
        expect(hash.hex([utf8Bytes(message)])).toBe(digest);
        expect(Buffer.from(hash.digest([utf8Bytes(message)])).toString('hex')).toBe(digest);
      }
    });

    it('hashes parts as if concatenated, however they are split', () => {
      const bytes = utf8Bytes('x'.repeat(200));
      for (const cut of [0, 1, 55, 56, 63, 64, 65, 200])
        expect(hash.digest([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(hash.digest([bytes]));
      expect(hash.digest([])).toEqual(hash.digest([new Uint8Array()]));
    });

    it('hashes long parts as it hashes short ones', () => {
      const bytes = utf8Bytes('0123456789'.repeat(2_000));
      for (const length of [8_191, 8_192, 8_193, 20_000]) {
        const whole = bytes.subarray(0, length);
        const parts = [whole.subarray(0, 1), whole.subarray(1, 4_000), whole.subarray(4_000)];
        expect(hash.digest(parts)).toEqual(hash.digest([whole]));
        expect(hash.hex(parts)).toBe(hash.hex([whole]));
      }
    });

    it('returns bytes that belong to the caller', () => {
      const first = hash.digest([]);
      expect(first.buffer.byteLength).toBe(32);
      first.fill(0);
      expect(hash.hex([])).toBe(VECTORS[0]![1]);
    });
  });
}
