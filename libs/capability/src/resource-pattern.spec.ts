// SPDX-License-Identifier: Apache-2.0
import { coversResource, listsResource } from './resource-pattern.ts';

const tokenWith = (...resources: string[]) => ({ grant: { resources } }) as never;
const store = { kind: 'info_store', name: 'handbook' } as const;

test.each([
  ['info_store:*', 'info_store:handbook', true],
  ['info_store:*', 'info_store:*', true],
  ['info_store:handbook', 'info_store:handbook', true],
  ['info_store:handbook', 'info_store:*', false],
  ['info_store:handbook', 'info_store:handbook2', false],
  ['info_store:*', 'mailbox:handbook', false],
])('the entry `%s` covers `%s`: %s', (outer, inner, covers) => {
  expect(coversResource(outer, inner)).toBe(covers);
});

test('a resource is listed only if each token of the chain lists it', () => {
  expect(listsResource([tokenWith('info_store:handbook'), tokenWith('info_store:*')], store)).toBe(true);
  expect(listsResource([tokenWith('info_store:*'), tokenWith('mailbox:*')], store)).toBe(false);
  expect(listsResource([tokenWith('info_store:*'), { grant: {} } as never], store)).toBe(false);
});

test('no token at all lists nothing', () => {
  expect(listsResource([], store)).toBe(false);
});

test('a skill needs no entry: the tools of a token bound it', () => {
  expect(listsResource([tokenWith()], { kind: 'skill', name: 'release-notes' })).toBe(true);
});
