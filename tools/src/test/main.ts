// SPDX-License-Identifier: Apache-2.0
// `npm test`: every check of the repository on real parts. Its last line is `N passed, N failed`, alone on a line.
import { join } from 'node:path';
import pc from 'picocolors';
import { build } from '../build.ts';
import { explain } from '../explain.ts';
import { checkout, defaultStateDir, makeSetup, type Setup } from '../setup.ts';
import { runPlan } from '../steps.ts';
import { askHolder } from '../supervisor/lock.ts';
import { supervise } from '../supervisor/supervise.ts';
import { parseArguments } from './arguments.ts';
import { bringUpParts, readEnvironment, type TestEnvironment } from './bring-up.ts';
import { runCheck } from './run-check.ts';
import { allChecks, type Check } from './suites.ts';
import { add, closingLine, NONE, ONE_FAILED, type Tally } from './tally.ts';

const say = (line: string): void => { process.stdout.write(`${line}\n`); };
const heading = (text: string): void => say(`\n${pc.bold(`── ${text} `.padEnd(100, '─'))}`);

const runAll = async (setup: Setup, checks: readonly Check[], environment: TestEnvironment): Promise<Tally> => {
  const rows: { name: string; tally: Tally }[] = [];
  for (const check of checks) {
    heading(check.name);
    rows.push({ name: check.name, tally: await runCheck(setup, check, environment) });
  }
  heading('summary');
  for (const { name, tally } of rows) say(`${tally.failed === 0 ? pc.green('✔') : pc.red('✖')} ${name.padEnd(14)} ${closingLine(tally)}`);
  return rows.map(({ tally }) => tally).reduce(add, NONE);
};

/** Whatever happens, there is a closing line, and nothing that could not run counts as passed. */
const runTests = async (setup: Setup, checks: readonly Check[], environmentOf: () => Promise<TestEnvironment>): Promise<number> => {
  let tally = ONE_FAILED;
  try {
    const environment = await environmentOf();
    await runPlan(setup, [{ title: 'Build', run: (step) => build(step.env, step.report) }]);
    tally = await runAll(setup, checks, environment);
  } catch (error) {
    explain(error);
  }
  say('');
  say(closingLine(tally));
  return tally.failed === 0 ? 0 : 1;
};

const main = async (args: readonly string[]): Promise<void> => {
  const checks = allChecks(checkout);
  const wanted = parseArguments(args, checks.map(({ name }) => name));
  if (typeof wanted === 'number') process.exit(wanted);
  const chosen = checks.filter(({ name }) => wanted.includes(name));
  const root = defaultStateDir(process.env);
  const parts = makeSetup(join(root, 'test'), join(root, 'cache'), process.env, say);
  if ((await askHolder(parts.stateId))?.role === 'parts') {
    say(`using the parts that are up in ${parts.stateDir}`);
    const own = makeSetup(join(root, 'test-run'), join(root, 'cache'), process.env, say);
    await supervise(own, 'test', () => runTests(own, chosen, async () => readEnvironment(parts.stateDir)));
  }
  await supervise(parts, 'test', () => runTests(parts, chosen, async () => (await bringUpParts(parts)).environment));
};

await main(process.argv.slice(2));
