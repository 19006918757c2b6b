// SPDX-License-Identifier: Apache-2.0
import { NotListedHere } from '../not-listed-here.ts';
import { listedPrograms } from './listed-programs.ts';

const OURS = `sha256:${'1'.repeat(64)}`;
const OTHER = `sha256:${'2'.repeat(64)}`;
const programs = { list: () => Promise.reject(new Error('nothing is listed')) };
const images = { runnable: () => Promise.reject(new Error('there is no engine')) };
const listed = listedPrograms(programs, images, new Set([OURS]));
const imageOf = (digest: string) =>
  listed.imageOf({ tenantId: 't', digest, image: undefined }, AbortSignal.timeout(1_000));

test('a program is listed in an image of the deployment that this executor has, and in no other', async () => {
  expect(await imageOf(OURS)).toBe(OURS);
  await expect(imageOf(OTHER)).rejects.toBeInstanceOf(NotListedHere);
});
