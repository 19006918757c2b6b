// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { build } from '../build.ts';
import { runPlan, type Step } from '../steps.ts';
import { defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { askHolder } from '../supervisor/lock.ts';
import { supervise } from '../supervisor/supervise.ts';
import { bringUpParts, readEnvironment, type TestEnvironment } from './bring-up.ts';

const BUILD: Step = { title: 'Build', run: (step) => build(step.env, step.report) };

/**
 * Runs a function on a build and real infrastructure: that of `npm run parts` if it is running, else its own, which
 * ends with it. The function resolves with the exit status. `environmentOf` builds and starts the infrastructure when
 * it is called.
 */
export const withParts = async (
  run: (setup: Setup, environmentOf: () => Promise<TestEnvironment>) => Promise<number>,
  print: (line: string) => void,
): Promise<void> => {
  const root = defaultStateDir(process.env);
  const parts = makeSetup(join(root, 'test'), join(root, 'cache'), process.env, print);
  if ((await askHolder(parts.stateId))?.role === 'parts') {
    print(`using the parts that are up in ${parts.stateDir}`);
    const own = makeSetup(join(root, 'test-run'), join(root, 'cache'), process.env, print);
    await supervise(own, 'test', () =>
      run(own, async () => {
        await runPlan(own, [BUILD]);
        return readEnvironment(parts.stateDir);
      }),
    );
  }
  await supervise(parts, 'test', () => run(parts, async () => (await bringUpParts(parts, [BUILD])).environment));
};
