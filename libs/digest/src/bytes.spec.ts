// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { compareBytes, concatBytes, toHex, utf8Bytes } from './bytes.ts';

const bytes = fc.uint8Array({ maxLength: 40 });

it('handles bytes as a Buffer does', () => {
  fc.assert(
    fc.property(bytes, bytes, fc.string({ unit: 'binary' }), (a, b, text) => {
      expect(toHex(a)).toBe(Buffer.from(a).toString('hex'));
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b));
      expect(compareBytes(a, a.slice())).toBe(0);
      expect(concatBytes([a, b])).toEqual(new Uint8Array(Buffer.concat([a, b])));
      expect(utf8Bytes(text)).toEqual(new Uint8Array(Buffer.from(text, 'utf8')));
    }),
  );
  expect(utf8Bytes('\ud800x')).toEqual(new Uint8Array(Buffer.from('\ud800x', 'utf8')));
});
