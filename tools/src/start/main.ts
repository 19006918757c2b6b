// SPDX-License-Identifier: Apache-2.0
// `npm start`: everything that Writ needs on this machine, an agent at work on a real repository, and a server that stays up.
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from '../job/main.ts';
import { renderJob } from '../job/table.ts';
import type { Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import { SetupError } from '../setup-error.ts';
import { defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { supervise } from '../supervisor/supervise.ts';
import { parseArguments } from './arguments.ts';
import { presentStack } from './present.ts';
import { startStack, type Stack } from './stack.ts';

const say = (line: string): void => { process.stdout.write(`${line}\n`); };

/** Rejects as soon as one of our processes ends by itself: what is left would only look as if it worked. */
const firstDeath = async (children: readonly Child[]): Promise<never> => {
  const { child, how } = await Promise.race(children.map((child) => child.ended.then((how) => ({ child, how }))));
  throw new SetupError(`${child.name} ${how}; the end of ${child.logFile}:`, logTail(child.logFile));
};

/** Runs the job, shows it, and leaves what it did where a script finds it. */
const runMainJob = async (setup: Setup, { url, keys }: Stack): Promise<boolean> => {
  const lastRun = join(setup.stateDir, 'last-run.json');
  // A job that breaks off must not leave an earlier one's result for its own.
  rmSync(lastRun, { force: true });
  const result = await runJob({ apiUrl: url, platformKey: keys.platformKey, stateDir: setup.stateDir, onProgress: say, env: setup.env });
  writeFileSync(lastRun, `${JSON.stringify(result, null, 2)}\n`);
  say(renderJob(result));
  return result.ok;
};

const main = async (args: readonly string[]): Promise<void> => {
  const parsed = parseArguments(args);
  if (typeof parsed === 'number') process.exit(parsed);
  const root = defaultStateDir(process.env);
  const setup = makeSetup(root, join(root, 'cache'), process.env, say);
  await supervise(setup, 'start', async ({ stop }) => {
    const stack = await startStack(setup);
    const death = firstDeath(stack.children);
    death.catch(() => undefined);
    const ok = await Promise.race([runMainJob(setup, stack), death]);
    if (parsed.once) return ok ? 0 : 1;
    say(presentStack(setup, stack));
    await Promise.race([stop.aborted ? undefined : once(stop, 'abort'), death]);
    say('stopping …');
    return 0;
  });
};

await main(process.argv.slice(2));
