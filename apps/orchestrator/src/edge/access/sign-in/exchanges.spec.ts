// SPDX-License-Identifier: Apache-2.0
import { ATTEMPT_S } from './attempts.ts';
import { Exchanges } from './exchanges.ts';

let now: number;
let exchanges: Exchanges;
beforeEach(() => {
  now = 1;
  exchanges = new Exchanges(() => now);
});
const answered = (): Promise<string> => Promise.resolve('tokens');

it('an attempt is exchanged once, as long as it could be good', async () => {
  expect(await exchanges.once('a', 's', answered)).toBe('tokens');
  now += ATTEMPT_S * 1_000 - 1;
  expect(await exchanges.once('a', 's', answered)).toBeNull();
  await expect(exchanges.once('a', 'failing', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await exchanges.once('a', 'failing', answered)).toBeNull();
});

it('so many exchanges wait for one issuer, and those of others go on', async () => {
  const slow = Promise.withResolvers<string>();
  const waiting: Promise<unknown>[] = [];
  const refused = async (state: string): Promise<boolean> =>
    await exchanges.once('slow', state, answered).then(
      () => false,
      (error: unknown) => (error as { code?: string }).code === 'auth.issuer_unavailable',
    );
  for (let n = 0; n < 16; n += 1) waiting.push(exchanges.once('slow', `s${String(n)}`, () => slow.promise));
  expect(await refused('one more')).toBe(true);
  expect(await exchanges.once('other', 'o', answered)).toBe('tokens');
  slow.resolve('late');
  await Promise.all(waiting);
  // The attempt that was refused is still good.
  expect(await refused('one more')).toBe(false);
});
