// SPDX-License-Identifier: Apache-2.0
// `npm run bench`: starts the infrastructure and builds, then runs the benchmarks in a separate process.
import { join } from 'node:path';
import { explain } from '../explain.ts';
import { ensureProgram } from '../parts/packages.ts';
import { checkout, type Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { runPlan } from '../steps.ts';
import { runCheck } from '../test/run-check.ts';
import { withParts } from '../test/with-parts.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Installs the program of one benchmark's reference. Where it can't be installed, the benchmark skips it and names its
 * package.
 */
async function bubblewrap(setup: Setup): Promise<void> {
  try {
    await ensureProgram(setup, 'bwrap', ['bubblewrap'], 'to compare with');
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    setup.report(error.message);
  }
}

await withParts(async (setup, environmentOf) => {
  try {
    const environment = await environmentOf();
    await runPlan(setup, [{ title: 'Bubblewrap', run: bubblewrap }]);
    const command = [
      process.execPath,
      '--conditions=@writ/source',
      join(checkout, 'bench', 'src', 'main.ts'),
      ...process.argv.slice(2),
    ];
    return (await runCheck(setup, { name: 'bench', command, afterSetUp: true, lane: 'stacks' }, environment, print)).ok
      ? 0
      : 1;
  } catch (error) {
    explain(error);
    return 1;
  }
}, print);
