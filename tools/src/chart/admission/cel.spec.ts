// SPDX-License-Identifier: Apache-2.0
import { cel } from './cel.ts';

test.each([
  ['a text', 'a', "'a'"],
  ['a text that would end its literal', String.raw`it's \ `, String.raw`'it\'s \\ '`],
  ['a flag', false, 'false'],
  ['a number', 86_400, '86400'],
  ['a list of one type', ['a', 'b'], "['a', 'b']"],
  ['an empty object', {}, '{}'],
  ['an object of one type', { a: 'b', c: 'd' }, "{'a': 'b', 'c': 'd'}"],
  ['an object of several types', { a: 'b', c: 1 }, "{'a': dyn('b'), 'c': dyn(1)}"],
  ['objects within', { a: [{ b: true }] }, "{'a': dyn([dyn({'b': true})])}"],
])('%s is a literal of CEL', (_what, value, literal) => {
  expect(cel(value)).toBe(literal);
});

test.each([[1.5], [null], [undefined], [Number.NaN], [{ a: undefined }]])(
  '%j is refused: no literal certainly equals it',
  (value) => {
    expect(() => cel(value)).toThrow(/can't be written in CEL/);
  },
);
