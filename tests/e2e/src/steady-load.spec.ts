// SPDX-License-Identifier: Apache-2.0
// The proof that deployment specs use detects a call that was lost, done though it failed, or missing in the log.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  expectNothingLost,
  makeWorld,
  openLoad,
  STANDARD_RETRIES,
  startStack,
  triesOf,
  type Ended,
  type Stack,
  type World,
} from '@writ/stack';

let stack: Stack;
let world: World;
let ends: readonly Ended[];

beforeAll(async () => {
  stack = await startStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  const load = openLoad(world, 10, 10, STANDARD_RETRIES);
  await sleep(1_500);
  ends = await load.stop();
});

afterAll(() => stack.stop());

it('holds for calls that all committed', async () => {
  expect(ends.length).toBeGreaterThan(5);
  expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['committed']));
  expect(Object.values(triesOf(ends)).reduce((sum, calls) => sum + calls, 0)).toBe(ends.length);
  await expectNothingLost(stack, world, ends);
});

it.each<[string, (end: Ended) => Ended]>([
  ['a committed file is missing', (end) => ({ ...end, path: 'never.txt' })],
  ['an abandoned call left its file', (end) => ({ ...end, outcome: 'gave up', operationId: '' })],
  ['an outcome is missing in the log', (end) => ({ ...end, operationId: 'op_00000000000000000000000000' })],
])('fails where %s', async (_what, change) => {
  const [first, ...others] = ends as [Ended, ...Ended[]];
  await expect(expectNothingLost(stack, world, [change(first), ...others])).rejects.toThrow();
});
