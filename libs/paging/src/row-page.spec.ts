// SPDX-License-Identifier: Apache-2.0
import { pageOf, ROW_CURSOR } from './row-page.ts';

const rows = [5, 4, 3, 2, 1].map((created_at) => ({ created_at, id: `op_${created_at}`, other: true }));

describe('a page of rows', () => {
  it('has a cursor that leads back to its last row', () => {
    const { items, next_cursor } = pageOf(rows, 2, (row) => row);
    expect(items).toEqual(rows.slice(0, 2));
    expect(ROW_CURSOR.parse(next_cursor ?? '')).toEqual({ created_at: 4, id: 'op_4' });
  });

  it('has no cursor where no row follows', () => {
    expect(pageOf(rows, 5, (row) => row)).toEqual({ items: rows, next_cursor: null });
    expect(pageOf(rows.slice(0, 0), 5, (row) => row)).toEqual({ items: [], next_cursor: null });
  });

  it('has a cursor of at most 256 characters, also for the longest names and latest times', () => {
    expect(ROW_CURSOR.format({ created_at: Number.MAX_SAFE_INTEGER, id: 'x'.repeat(64) }).length).toBeLessThan(257);
  });
});

it.each([
  { created_at: 1, id: 'A/b' },
  { created_at: 1, id: '' },
  { created_at: 2 ** 53, id: 'op_1' },
  { created_at: -1, id: 'a' },
])('a position that no row has is refused: %j', (position) => {
  expect(() => ROW_CURSOR.parse(ROW_CURSOR.format(position))).toThrow(
    expect.objectContaining({ code: 'request.malformed' }),
  );
});
