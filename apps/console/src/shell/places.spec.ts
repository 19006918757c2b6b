// SPDX-License-Identifier: Apache-2.0
import { placeOfId, PLACES } from './places.ts';

const LETTERS = '01m8x5x8eqetz8hk6gzc8c9z2z';

it('each page has a key of its own', () => {
  expect(new Set(PLACES.map(({ key }) => key)).size).toBe(PLACES.length);
});

it('an id leads to the page of its thing, and no other text leads anywhere', () => {
  expect(placeOfId(`op_${LETTERS}`)).toEqual({
    to: '/activity/$operationId',
    params: { operationId: `op_${LETTERS}` },
  });
  for (const text of ['', 'op_', `op_${LETTERS}/..`, ` op_${LETTERS}`, `xyz_${LETTERS}`, 'constructor_x'])
    expect(placeOfId(text)).toBeNull();
});
