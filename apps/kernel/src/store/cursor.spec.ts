// SPDX-License-Identifier: Apache-2.0
import { pageOf, parseCursor } from './cursor.ts';

const rows = [3, 2, 1].map((created_at) => ({ created_at, id: `op_${String(created_at)}` }));

describe('a page', () => {
  it('ends with a cursor that names its last row, where there is more', () => {
    const page = pageOf(rows, 2, (row) => row);
    expect(page.items).toEqual(rows.slice(0, 2));
    expect(parseCursor(page.next_cursor)).toEqual({ created_at: 2, id: 'op_2' });
  });

  it('is the last one where there is no more', () => {
    expect(pageOf(rows, 3, (row) => row)).toEqual({ items: rows, next_cursor: null });
    expect(pageOf([], 3, (row: { created_at: number; id: string }) => row)).toEqual({ items: [], next_cursor: null });
  });

  it('begins at the newest without a cursor, and takes none that was not given out', () => {
    expect(parseCursor(null).created_at).toBe(Number.MAX_SAFE_INTEGER);
    for (const bad of ['', 'x', Buffer.from('1.OP').toString('base64url'), Buffer.from(`1.a' OR 1=1`).toString('base64url')]) {
      expect(() => parseCursor(bad)).toThrow(expect.objectContaining({ code: 'request.malformed' }));
    }
  });
});
