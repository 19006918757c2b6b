// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify } from '../process/identity.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import type { Check } from './suites.ts';
import { add, NONE, ONE_FAILED, ONE_PASSED, tallyOf, type Tally } from './tally.ts';

/** Long enough for jest to stop its workers. */
const STOP_MS = 3_000;

/** No daemon that outlives us, no screen that hides what failed, nothing sent anywhere. */
const NX = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' };

const run = async (setup: Setup, { command, cwd }: Check, environment: Readonly<Record<string, string>>): Promise<number> => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...setup.env, ...NX, ...environment, [MARK]: setup.stateId } });
  const who = child.pid === undefined ? undefined : identify(child.pid);
  if (who !== undefined) setup.processes.add({ name: program, kind: 'job', who, signal: 'SIGTERM', graceMs: STOP_MS });
  const status = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('exit', (code) => resolve(code ?? -1));
  });
  if (who !== undefined) setup.processes.remove(who);
  return status;
};

/** Runs a check with its output on the terminal, and counts what it did. */
export const runCheck = async (setup: Setup, check: Check, environment: Readonly<Record<string, string>>): Promise<Tally> => {
  // What an earlier run left must not be counted for this one.
  for (const path of check.results) {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
  }
  const status = await run(setup, check, environment);
  if (check.results.length === 0) return status === 0 ? ONE_PASSED : ONE_FAILED;
  const tally = check.results.map((path) => tallyOf(existsSync(path) ? readFileSync(path, 'utf8') : undefined)).reduce(add, NONE);
  // A runner that fails with no failed test has failed to run something.
  return status !== 0 && tally.failed === 0 ? add(tally, ONE_FAILED) : tally;
};
