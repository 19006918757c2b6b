// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { vi } from 'vitest';
import { nameInJson } from './name-in-json.ts';
import { SecretValues } from './redactor.ts';

/** Values of which JSON escapes some characters, and of which it escapes none. */
const secrets = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcXYZ019"\\/\n\t\u0001é€'), minLength: 12, maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 12, maxLength: 40 }),
);
/** Ways in which a text is a part of JSON. */
const HOLDERS: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => [text],
  (text) => ({ [text]: 1 }),
  (text) => ({ deep: [{ message: text }, 1, null] }),
];
const within = (text: string): unknown => ({ state: `before ${text} after` });

it('a value is found in any text and any name, however often the text is JSON within JSON', () => {
  const holder = fc.constantFrom(...HOLDERS);
  const levels = fc.array(holder, { maxLength: 3 });
  fc.assert(
    fc.property(secrets, fc.oneof(holder, fc.constant(within)), levels, (secret, first, rest) => {
      const held = rest.reduce((inner, hold) => hold(JSON.stringify(inner)), first(secret));
      expect(nameInJson(new SecretValues({ KEY: secret }), held)).toBe('KEY');
    }),
    { numRuns: 500 },
  );
});

it('a value is found after texts that end within an escape or within an encoded form', () => {
  const ends = fc.constantFrom('"\\', '"\\u00', '"\\x', '"%2', '"6', '"0000000 ', '"key-');
  fc.assert(
    fc.property(secrets, fc.array(ends, { maxLength: 4 }), (secret, before) => {
      expect(nameInJson(new SecretValues({ KEY: secret }), [...before, secret, ...before])).toBe('KEY');
    }),
  );
});

it('many short texts are one search, since each search takes its time', () => {
  const values = new SecretValues({ KEY: 'key-"0123456789"-secret' });
  const scans = vi.spyOn(values, 'scan');
  expect(
    nameInJson(
      values,
      Array.from({ length: 20_000 }, () => '"'),
    ),
  ).toBeNull();
  expect(scans).toHaveBeenCalledTimes(1);
});

it.each<[string, unknown]>([
  ['nothing', null],
  ['other texts', { a: ['"quoted"', '\\', '\n'], b: '{"t":"key-\\"0123456789"}' }],
  ['text that only begins as JSON does', '{"t": "key-'],
  ['JSON of many levels in a text', { a: `["x",${'['.repeat(100_000)}${']'.repeat(100_000)}]` }],
  ['half of a character', '"\ud800'],
])('%s has no value', (_what, value) => {
  expect(nameInJson(new SecretValues({ KEY: 'key-"0123456789"-secret' }), value)).toBeNull();
});

it('a value of digits is found as a number, and without values nothing is', () => {
  expect(nameInJson(new SecretValues({ PIN: '482910375526' }), { a: [482910375526] })).toBe('PIN');
  expect(nameInJson(new SecretValues({}), { a: 1 })).toBeNull();
});
