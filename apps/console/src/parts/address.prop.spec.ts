// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { textsOf } from './address.ts';

it('of an address only named texts are taken, as they are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.anything()), (given) => {
      const taken = textsOf(given, 'a', 'b');
      for (const name of ['a', 'b'] as const) {
        const isText = typeof given[name] === 'string' && given[name] !== '';
        expect(taken[name]).toBe(isText ? given[name] : undefined);
        expect(Object.hasOwn(taken, name)).toBe(isText);
      }
      expect(taken).not.toHaveProperty('c');
    }),
  );
});
