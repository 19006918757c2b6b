// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { jsonInSlices } from './long-responses.ts';

it('a response in slices equals the output of JSON.stringify', async () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.constant(undefined),
    fc.array(fc.oneof(fc.jsonValue(), fc.constant(undefined)), { maxLength: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), member, { maxKeys: 6 }), async (answer) => {
      expect(await jsonInSlices(answer)).toBe(JSON.stringify(answer));
    }),
    { numRuns: 1_000 },
  );
});

it('a long response yields to the event loop', async () => {
  const items = Array.from({ length: 200_000 }, (_, n) => ({ path: `many/${n}`, state: { kind: 'file', size: n } }));
  let turns = 0;
  let isWritten = false;
  const count = (): void => {
    turns += 1;
    if (!isWritten) setImmediate(count);
  };
  setImmediate(count);
  await jsonInSlices({ items });
  isWritten = true;
  expect(turns).toBeGreaterThan(3);
});
