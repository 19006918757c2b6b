// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { addressOf, connect, MAINTENANCE_DATABASE } from '@writ/database';
import { filterMatches, filterPath, parseFilter, parseMetadata, type Filter, type Metadata } from '@writ/info-store';
import { testAddress } from '@writ/testing';

let client: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  client = await connect(addressOf(testAddress('WRIT_TEST_DATABASE_URL'), MAINTENANCE_DATABASE), 'writ-test');
});
afterAll(() => client.end());

const words = fc.oneof(
  fc.constantFrom('', 'a', 'ab', 'b', '1', 'true', '"', '\\', '$v0', "'", '\uffff', '🌱', 'é', 'e\u0301', '\u2028'),
  fc.string({ unit: 'grapheme', maxLength: 4 }).filter((text) => !text.includes('\u0000') && text.isWellFormed()),
);
const numbers = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.1, 1e-7, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2),
  // Larger ones are refused.
  fc.double({ noNaN: true, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
);
const values = fc.oneof(words, numbers, fc.boolean());
const fields = fc.constantFrom('a', 'b', 'c.d-0');
const metadata = fc.dictionary(fields, values, { minKeys: 2, maxKeys: 3 });
const range = fc
  .record(
    { gt: fc.oneof(words, numbers), gte: fc.oneof(words, numbers), lt: fc.oneof(words, numbers), lte: numbers },
    { requiredKeys: [] },
  )
  .filter((bounds) => Object.keys(bounds).length > 0);
const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ field: fields, eq: values }),
    fc.record({ field: fields, in: fc.array(values, { minLength: 1, maxLength: 4 }) }),
    fc.tuple(fields, range).map(([field, bounds]) => ({ field, ...bounds })),
    fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
  ),
}));

async function inDatabase(one: Filter, rows: readonly Metadata[]): Promise<boolean[]> {
  const { path, vars } = filterPath(one);
  const { rows: matches } = await client.query<{ is: boolean }>(
    `SELECT coalesce(jsonb_path_match(each.value, $1::jsonpath, $2::jsonb, true), false) AS is
     FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS each (value, n) ORDER BY n`,
    [path, JSON.stringify(vars), JSON.stringify(rows)],
  );
  return matches.map((row) => row.is);
}

describe('any filter', () => {
  it('matches the same metadata in memory and in the database', async () => {
    let matched = 0;
    await fc.assert(
      fc.asyncProperty(filter, fc.array(metadata, { minLength: 1, maxLength: 20 }), async (given, rows) => {
        let one: Filter;
        try {
          one = parseFilter(given);
        } catch {
          return;
        }
        const parsed = rows.map((row) => parseMetadata(row, ''));
        const here = parsed.map((row) => filterMatches(one, row));
        matched += here.filter(Boolean).length;
        expect(await inDatabase(one, parsed)).toEqual(here);
      }),
      { numRuns: 600 },
    );
    // Filters that match nothing would prove nothing.
    expect(matched).toBeGreaterThan(100);
  });
});
