// SPDX-License-Identifier: Apache-2.0
import { Prisma } from '../../generated/prisma/client.ts';
import { plainRow } from './plain-row.ts';

describe('a row as JSON gives it', () => {
  it('has numbers for integers and decimals, and other values unchanged', () => {
    const row = { at: 12n, none: null, score: new Prisma.Decimal('0.125'), json: { a: [1] }, list: ['x'], yes: true };
    expect(plainRow(row)).toEqual({ at: 12, none: null, score: 0.125, json: { a: [1] }, list: ['x'], yes: true });
  });

  it('is refused rather than rounded', () => {
    expect(() => plainRow({ at: 2n ** 53n })).toThrow('past 2^53');
  });
});
