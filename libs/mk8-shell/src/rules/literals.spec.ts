// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { folded, holdsOne, neededLiterals } from './literals.ts';
import { SHIPPED_RULES } from './rules.ts';

test.each([
  ['abc', ['abc']],
  ['ab?c', ['a']],
  ['ab*cde', ['cde']],
  ['ab+c', ['ab']],
  ['a|b', null],
  ['\\bfoo\\s+bar', ['foo']],
  ['(?:foo|ba)\\s', ['foo', 'ba']],
  ['(?:foo|bar)?x', ['x']],
  ['x[abc]yz', ['yz']],
  ['\\.ssh[/\\\\]', ['.ssh']],
  ['a.c', ['a']],
  ['(a|b)', null],
  ['(?:a.|b)', null],
  ['x{0,3}y', ['y']],
  ['SUDO', ['sudo']],
])('%s needs %j', (expression, literals) => {
  expect(neededLiterals(expression)).toEqual(literals);
});

test('every regular expression that is shipped needs a literal, so that most texts are judged without it', () => {
  expect(
    SHIPPED_RULES.blacklist
      .filter(({ kind, pattern }) => kind === 'regex' && neededLiterals(pattern) === null)
      .map(({ id }) => id),
  ).toEqual([]);
});

test('whatever matches holds a literal that is needed', () => {
  const atom = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      'k',
      's',
      '\\.',
      '\\s',
      '\\b',
      '\\w',
      '.',
      '[ab]',
      '[^a]',
      '(?:ab|k)',
      '(?:s|.b)',
      '(a)',
      '(?:a|)',
      '(?:a\\.|b)',
      '(?:(?:a|b)k)',
    ),
  );
  const expression = fc
    .array(fc.tuple(atom, fc.constantFrom('', '', '', '?', '*', '+', '{0,2}', '{2}')), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.map(([one, quantifier]) => (one === '\\b' ? one : one + quantifier)).join(''));
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'k', 'K', 's', 'ſ', '.', ' ', 'K'), maxLength: 8 });
  fc.assert(
    fc.property(expression, text, (pattern, value) => {
      const literals = neededLiterals(pattern);
      if (
        literals !== null &&
        RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)
          .matcher(value)
          .find()
      )
        expect(holdsOne(folded(value), literals)).toBe(true);
    }),
    { numRuns: 5000 },
  );
});
