// SPDX-License-Identifier: Apache-2.0
import { isId } from '@writ/contract';
import { newId } from './new-id.ts';

test('ids carry their kind, are unique, and sort by creation time', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('operation'));
  expect(ids.every((id) => isId('operation', id))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});
