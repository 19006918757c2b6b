// SPDX-License-Identifier: Apache-2.0
import { isSubjectMatch } from './subject-match.ts';

test.each([
  ['a.b', 'a.b', true],
  ['a.b', 'a.c', false],
  ['a.b', 'a', false],
  ['a', 'a.b', false],
  ['a.*', 'a.b', true],
  ['a.*', 'a', false],
  ['a.*', 'a.b.c', false],
  ['*.b', 'a.b', true],
  ['a.>', 'a.b', true],
  ['a.>', 'a.b.c', true],
  ['a.>', 'a', false],
  ['>', 'a', true],
])('`%s` against `%s`: %s', (pattern, subject, isMatch) => {
  expect(isSubjectMatch(pattern, subject)).toBe(isMatch);
});
