// SPDX-License-Identifier: Apache-2.0
import { Shares } from './shares.ts';

const never = (): Promise<void> => new Promise(() => undefined);

test('a tenant that fills its share is refused at once, and another has the whole of its own', async () => {
  const shares = new Shares(2);
  for (let i = 0; i < 2; i++) void shares.run('flooder', never);
  await expect(shares.run('flooder', never)).rejects.toMatchObject({ code: 'rate.limited' });
  for (let i = 0; i < 2; i++) expect(await shares.run('victim', () => Promise.resolve(i))).toBe(i);
});

test('what has ended, well or not, leaves its place', async () => {
  const shares = new Shares(1);
  await expect(shares.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await shares.run('a', () => Promise.resolve('in'))).toBe('in');
});
