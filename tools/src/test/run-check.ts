// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { identify } from '../process/identity.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { readResults, type Results } from '../vitest/results.ts';
import type { Check } from './checks.ts';

/** Time to read the last lines of an ended process: a process that it started may hold its outputs open for ever. */
const LAST_LINES_MS = 2_000;

/** Time for vitest to stop its workers. */
const STOP_MS = 3_000;

/** Nx sends no telemetry, and starts no daemon. */
const NX = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

/** The result of a check. */
export interface Outcome {
  /** whether its process ended with status 0 */
  readonly ok: boolean;
  /** of its specs; null where it has none, or left no file */
  readonly results: Results | null;
}

/**
 * Runs a check to its end.
 *
 * @param environment variables besides those of the set-up
 * @param onLine is called with each line of either output
 */
export const runCheck = async (
  setup: Setup,
  { name, command, specs, env: own }: Check,
  environment: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  // The run is ending: the clean-up would miss a process that starts now.
  if (setup.processes.isClosed) return { ok: false, results: null };
  // Results of an earlier run must not count for this one.
  if (specs !== undefined) rmSync(specs.results, { force: true });
  const [program = '', ...args] = command;
  const env = {
    ...setup.env,
    ...NX,
    ...environment,
    ...own,
    [MARK]: setup.stateId,
    ...(specs === undefined ? {} : { WRIT_TEST_RESULTS: specs.results }),
  };
  const child = spawn(program, args, { cwd: setup.checkout, stdio: ['ignore', 'pipe', 'pipe'], env });
  const who = child.pid === undefined ? undefined : identify(child.pid);
  if (who !== undefined) setup.processes.add({ name, kind: 'job', who, signal: 'SIGTERM', graceMs: STOP_MS });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      onLine(error.message);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
    child.once('exit', (code) => setTimeout(() => resolve(code === 0), LAST_LINES_MS).unref());
  });
  if (who !== undefined) setup.processes.remove(who);
  return { ok, results: specs === undefined ? null : readResults(specs.results) };
};
