// SPDX-License-Identifier: Apache-2.0
// `npm start`: starts everything that Writ needs on this machine, runs an agent on a real repository, and keeps the
// server running.
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from '../job/main.ts';
import { renderJob } from '../job/table.ts';
import type { Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import { SetupError } from '../setup-error.ts';
import { defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { keepRunning } from '../supervisor/keep-running.ts';
import { supervise } from '../supervisor/supervise.ts';
import { parseArguments } from './arguments.ts';
import { presentStack } from './present.ts';
import { startStack, type Stack } from './stack.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Rejects when one of these processes ends by itself. */
const firstEnd = async (children: readonly Child[]): Promise<never> => {
  const { child, how } = await Promise.race(children.map((child) => child.ended.then((how) => ({ child, how }))));
  throw new SetupError(`${child.name} ${how}; the end of ${child.logFile}:`, logTail(child.logFile));
};

/**
 * Rejects when the stack can't continue. When a dependency of ours ends, the run ends: the rest would only seem to
 * work. A service that ends is restarted, except with `--once`, whose status shows whether everything succeeded.
 */
const breakdownOf = async ({ services, parts }: Stack, restarts: boolean, stop: AbortSignal): Promise<never> => {
  if (!restarts) return firstEnd([...services.map(({ child }) => child), ...parts]);
  const never = new Promise<never>(() => undefined);
  const kept = services.map((service) => keepRunning(service, { stop, report: print }).then(() => never));
  return Promise.race([...kept, firstEnd(parts)]);
};

/** Runs the job, prints it, and saves its result for scripts. */
const runMainJob = async (setup: Setup, { url, keys }: Stack): Promise<boolean> => {
  const lastRun = join(setup.stateDir, 'last-run.json');
  // An aborted job must not leave an earlier one's result.
  rmSync(lastRun, { force: true });
  const result = await runJob({
    apiUrl: url,
    platformKey: keys.platformKey,
    stateDir: setup.stateDir,
    onProgress: print,
    env: setup.env,
  });
  writeFileSync(lastRun, `${JSON.stringify(result, null, 2)}\n`);
  print(renderJob(result));
  return result.ok;
};

const main = async (args: readonly string[]): Promise<void> => {
  const parsed = parseArguments(args);
  if (typeof parsed === 'number') process.exit(parsed);
  const root = defaultStateDir(process.env);
  const setup = makeSetup(root, join(root, 'cache'), process.env, print);
  await supervise(setup, 'start', async ({ stop }) => {
    const stack = await startStack(setup);
    const ending = new AbortController();
    const breakdown = breakdownOf(stack, !parsed.once, AbortSignal.any([stop, ending.signal]));
    breakdown.catch(() => undefined);
    try {
      const ok = await Promise.race([runMainJob(setup, stack), breakdown]);
      if (parsed.once) return ok ? 0 : 1;
      print(presentStack(setup, stack));
      await Promise.race([stop.aborted ? undefined : once(stop, 'abort'), breakdown]);
      print('stopping …');
      return 0;
    } finally {
      // Processes that end from here on are not restarted.
      ending.abort();
    }
  });
};

await main(process.argv.slice(2));
