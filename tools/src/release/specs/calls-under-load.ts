// SPDX-License-Identifier: Apache-2.0
// Agents call ten times a second during a change of a release, and no client with standard retries notices.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectNothingLost, makeWorld, openLoad, STANDARD_RETRIES, triesOf, warmUp } from '@writ/stack';
import type { ClusterRelease } from './cluster-release.ts';

const PER_SECOND = 10;
/** A pod start takes a processor for a second: two other processes compete with it. */
const COMMAND_EVERY = 20;
/** Load before and after the change. */
const AROUND_MS = 4_000;

/** Adds a line to the file in WRIT_TEST_REPORT, if it is set: figures for people. */
export const report = (line: string): void => {
  const file = process.env['WRIT_TEST_REPORT'];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};

/**
 * Changes a release under load. Fails unless each call committed within standard retries, once, and is in the log with
 * a receipt that verifies.
 *
 * @param what names it in the report
 */
export const whileCallsGoOn = async (
  cluster: ClusterRelease,
  what: string,
  act: () => Promise<unknown>,
): Promise<void> => {
  const files = { 'a.txt': 'one\n' };
  const world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey(), { files });
  await warmUp(world);
  const load = openLoad(world, PER_SECOND, COMMAND_EVERY, STANDARD_RETRIES);
  await sleep(AROUND_MS);
  const began = Date.now();
  await act();
  const tookMs = Date.now() - began;
  await sleep(AROUND_MS);
  const ends = await load.stop();
  const slowestMs = Math.max(...ends.map(({ ms }) => ms));
  const faults = [...new Set(ends.flatMap(({ fault }) => fault ?? []))];
  report(
    `${what}: ${tookMs} ms; ${ends.length} calls, tries ${JSON.stringify(triesOf(ends))}, ` +
      `slowest ${slowestMs} ms, faults ${JSON.stringify(faults)}`,
  );
  expect(ends.filter(({ outcome }) => outcome !== 'committed')).toEqual([]);
  await expectNothingLost(await cluster.checked(), world, ends);
};
