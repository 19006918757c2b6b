// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parse } from 'yaml';
import { yamlOf } from './yaml.ts';

test('any JSON value is read back by a YAML parser as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown;
      expect(parse(yamlOf(plain))).toEqual(plain);
    }),
    { numRuns: 500 },
  );
});

test.each([
  'true',
  'Yes',
  'no',
  'null',
  '~',
  '1e3',
  '0x10',
  '2030-01-31',
  '- a',
  'a: b',
  '#',
  ' a',
  'é',
  '',
  '=',
  '<<',
])('the text `%s` stays a text', (text) => {
  expect(parse(yamlOf({ text, [text]: [text] }))).toEqual({ text, [text]: [text] });
});

test('the output is in block style, with nothing that a terminal acts on', () => {
  expect(yamlOf({ state: 'held', reasons: [{ code: 'a.b', count: 1 }, []], none: {}, at: null })).toBe(
    'state: held\nreasons:\n  - code: a.b\n    count: 1\n  - []\nnone: {}\nat: null\n',
  );
  expect(yamlOf('\u001b[2J\u009b')).toBe('"\\u001b[2J\\u009b"\n');
});
