// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { identify } from '../process/identity.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { readResults, type Results } from '../vitest/results.ts';
import type { Check } from './checks.ts';

/** For the last lines of a process that has ended: one that it started may hold its outputs open for ever. */
const LAST_LINES_MS = 2_000;

/** Long enough for vitest to stop its workers. */
const STOP_MS = 3_000;

/** Nx sends nothing anywhere, and leaves no daemon behind. */
const NX = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };

/** What a check that has ended leaves behind. */
export interface Outcome {
  /** whether its process ended with status 0 */
  readonly ok: boolean;
  /** of its specs; null where it has none, or left none */
  readonly results: Results | null;
}

/**
 * Runs a check to its end.
 *
 * @param environment variables that it gets beside those of the set-up
 * @param onLine is called with each line that it says, on either of its outputs
 */
export const runCheck = async (
  setup: Setup,
  { name, command, specs, env: own }: Check,
  environment: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  // The run is ending: what starts now would be missed by the clean-up.
  if (setup.processes.isClosed) return { ok: false, results: null };
  // What an earlier run left must not be counted for this one.
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
