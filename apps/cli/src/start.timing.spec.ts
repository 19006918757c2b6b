// SPDX-License-Identifier: Apache-2.0
// The start of the program as a person starts it: the built bundle, by the file in apps/cli/bin.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';

const PROGRAM = join(repositoryRoot(), 'apps/cli/bin/writ.mjs');
/** Beyond it a command feels slow, and so does each key press that completes a word. */
const START_MS_MAX = 250;
const RUNS = 7;

/** The median: a machine that does something else meanwhile makes single runs longer. */
function medianMs(args: readonly string[]): number {
  const times = Array.from({ length: RUNS + 1 }, () => {
    const before = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env: {} });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return performance.now() - before;
  });
  // The first run writes the cache of compiled code.
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Infinity;
}

beforeAll(() => {
  // Without it the compiler's output is started, and this measures something else.
  expect(existsSync(join(repositoryRoot(), 'dist/cli/main.js'))).toBe(true);
});

test.each([
  [['--version']],
  [['--help']],
  [['operation', 'list', '--help']],
  [['__complete', 'bash', '--', 'token', '']],
])('the program starts in less than a quarter of a second: %j', (args) => {
  const ms = medianMs(args);
  expect(ms).toBeLessThan(START_MS_MAX);
});
