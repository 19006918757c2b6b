// SPDX-License-Identifier: Apache-2.0
import { languageTagOf } from './language-tag.ts';

it.each<[string | null, string | null]>([
  ['english', 'en'],
  ['German', 'de'],
  ['haitian creole', 'ht'],
  ['javanese', 'jv'],
  ['en', 'en'],
  ['pt-br', 'pt-br'],
  ['klingon', null],
  ['en"; drop', null],
  [null, null],
])('the language that a service calls `%s` has the tag `%s`', (named, tag) => {
  expect(languageTagOf(named)).toBe(tag);
});
