// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { Fingerprint } from './fingerprint.ts';

const of = (...chunks: Uint8Array[]): string =>
  chunks.reduce((fingerprint, chunk) => fingerprint.update(chunk), new Fingerprint()).digest();

it('the fingerprint of a content does not depend on its chunks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(200), { maxLength: 5 }), (content, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, content.length)).toSorted((a, b) => a - b), content.length];
      const chunks = at.slice(1).map((end, i) => content.subarray(at[i], end));
      expect(of(...chunks)).toBe(of(content));
    }),
  );
});

it('contents of one length that differ in any byte have different fingerprints', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (content, place, flip) => {
        const other = content.slice();
        other[place % content.length]! ^= flip;
        expect(of(other)).not.toBe(of(content));
      },
    ),
  );
});

it('contents of zeros with different lengths have different fingerprints', () => {
  const all = [0, 1, 15, 16, 17, 4_096].map((length) => of(new Uint8Array(length)));
  expect(new Set(all).size).toBe(all.length);
});
