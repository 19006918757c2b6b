// SPDX-License-Identifier: Apache-2.0
import { pageOf } from '@writ/paging';
import { fittedPage, parseCursor } from './cursor.ts';

const rows = [5, 4, 3, 2, 1].map((created_at) => ({ created_at, id: `op_${created_at}` }));

describe('a cursor', () => {
  it('that was returned continues after the row of its position', () => {
    const { items, next_cursor } = pageOf(rows, 2, (row) => row);
    expect(items).toEqual(rows.slice(0, 2));
    expect(parseCursor(next_cursor)).toEqual(rows[1]);
    // Names of sandboxes, and thumbprints of keys.
    for (const id of ['a.b-2', 'Zm9v_YmFy-A'])
      expect(
        parseCursor(pageOf([{ created_at: 1, id }, rows[4]], 1, (row) => row ?? { created_at: 0, id: '' }).next_cursor),
      ).toEqual({ created_at: 1, id });
    expect(pageOf(rows, 5, (row) => row)).toEqual({ items: rows, next_cursor: null });
    expect(pageOf([], 5, () => rows[0] as (typeof rows)[number])).toEqual({ items: [], next_cursor: null });
  });

  it('that is null begins at the newest row', () => {
    expect(parseCursor(null).created_at).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    '',
    'x',
    'MS4',
    '\0',
    Buffer.from('{"created_at":1,"id":"A/b"}').toString('base64url'),
    Buffer.from('{"created_at":99999999999999999,"id":"op_1"}').toString('base64url'),
  ])('that was never returned is refused: %j', (cursor) => {
    expect(() => parseCursor(cursor)).toThrow(expect.objectContaining({ code: 'request.malformed' }));
  });
});

describe('a page', () => {
  it('ends early where it would exceed the size of a message, and the next one continues there', () => {
    const heavy = rows.map((row) => ({ ...row, text: 'x'.repeat(200 * 1024) }));
    const { items, next_cursor } = fittedPage(heavy, 4, (row) => row);
    expect(items).toHaveLength(2);
    expect(parseCursor(next_cursor)).toMatchObject({ created_at: 4 });
    expect(fittedPage(rows, 4, (row) => row).items).toHaveLength(4);
  });

  it('has at least one view, so that a reader makes progress', () => {
    const huge = rows.slice(0, 2).map((row) => ({ ...row, text: 'x'.repeat(600 * 1024) }));
    expect(fittedPage(huge, 4, (row) => row)).toMatchObject({
      items: [{ created_at: 5 }],
      next_cursor: expect.any(String),
    });
  });
});
