// SPDX-License-Identifier: Apache-2.0
import { wordErrors } from './word-errors.ts';

it.each([
  ['One, two.', 'one two', 0],
  ['one two three', 'one three', 1],
  ['one two', 'one and two', 1],
  ['one two', 'one too', 1],
  ['one two', '', 2],
])('between `%s` and `%s` there are word errors: %i', (said, heard, errors) => {
  expect(wordErrors(said, heard).errors).toBe(errors);
});
