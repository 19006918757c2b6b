// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { platform as node } from './node.ts';
import { platform as portable } from './portable.ts';
import { reasonOf } from '../vectors.contract.ts';

describe('base64', () => {
  it('gives the vectors of RFC 4648 §10', () => {
    const vectors = {
      '': '',
      f: 'Zg==',
      fo: 'Zm8=',
      foo: 'Zm9v',
      foob: 'Zm9vYg==',
      fooba: 'Zm9vYmE=',
      foobar: 'Zm9vYmFy',
    };
    for (const [plain, encoded] of Object.entries(vectors)) {
      expect(encodeBase64(Buffer.from(plain))).toBe(encoded);
      expect(Buffer.from(decodeBase64(encoded)).toString()).toBe(plain);
    }
  });

  it.each(['Zg', 'Zg=', 'Zg===', 'Zh==', 'Zm9v\n', ' Zm9v', 'Zm-_', 'Zm9v====', 'Z', '=', 'Zm9vZg==Zg=='])(
    'has one spelling: %j is refused',
    (text) => {
      expect(reasonOf(() => decodeBase64(text))).toBe('malformed_base64');
    },
  );

  it('decodes a text only if encoding the result returns it', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.base64String(), fc.string({ unit: 'binary' })),
        (text) => reasonOf(() => decodeBase64(text)) !== 'none' || encodeBase64(decodeBase64(text)) === text,
      ),
    );
  });

  it('encodes a view, not the buffer under it', () => {
    expect(encodeBase64(Uint8Array.of(0, 102, 0).subarray(1, 2))).toBe('Zg==');
  });
});

describe('base64 in JavaScript alone', () => {
  const alphabets = fc.constantFrom('base64', 'base64url');

  it('encodes as Node.js does, and decodes it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), alphabets, (bytes, alphabet) => {
        const text = node.encode(bytes, alphabet);
        expect(portable.encode(bytes, alphabet)).toBe(text);
        expect(portable.decode(text, alphabet)).toEqual(bytes);
      }),
    );
    const long = new Uint8Array(100_000).map((_, i) => i);
    expect(portable.encode(long, 'base64')).toBe(node.encode(long, 'base64'));
  });

  it('decodes no other text to the same bytes', () => {
    const spellings = fc.oneof(fc.base64String(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w+/=-]{0,9}$/));
    fc.assert(
      fc.property(spellings, alphabets, (text, alphabet) => {
        expect(portable.encode(portable.decode(text, alphabet), alphabet) === text).toBe(
          node.encode(node.decode(text, alphabet), alphabet) === text,
        );
      }),
    );
  });
});
