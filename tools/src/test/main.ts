// SPDX-License-Identifier: Apache-2.0
// `npm test`: every check of the repository on real parts. Its last line is `N passed, N failed`, alone on a line.
import pc from 'picocolors';
import { build } from '../build.ts';
import { explain } from '../explain.ts';
import { checkout, type Setup } from '../setup.ts';
import { runPlan } from '../steps.ts';
import { slowestFiles } from './durations.ts';
import { failures, type Failure } from './failures.ts';
import { parseArguments } from './arguments.ts';
import type { TestEnvironment } from './bring-up.ts';
import { runCheck } from './run-check.ts';
import { allChecks, type Check } from './suites.ts';
import { add, closingLine, NONE, ONE_FAILED, type Tally } from './tally.ts';
import { withParts } from './with-parts.ts';

const say = (line: string): void => { process.stdout.write(`${line}\n`); };
const heading = (text: string): void => say(`\n${pc.bold(`── ${text} `.padEnd(100, '─'))}`);

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

const sayFailures = (failed: readonly Failure[]): void => {
  if (failed.length > 0) heading('failed');
  for (const { file, test, lines } of failed) {
    say(`${pc.red('✖')} ${file} ${test ?? pc.dim('(could not be run)')}`);
    for (const line of lines) say(`    ${line}`);
  }
};

const runAll = async (setup: Setup, checks: readonly Check[], environment: TestEnvironment): Promise<Tally> => {
  const rows: { name: string; tally: Tally; ms: number }[] = [];
  for (const check of checks) {
    heading(check.name);
    const started = performance.now();
    const tally = await runCheck(setup, check, environment);
    rows.push({ name: check.name, tally, ms: performance.now() - started });
  }
  const results = checks.flatMap((check) => check.results);
  heading('slowest files');
  for (const { file, ms } of slowestFiles(setup.checkout, results)) say(`${seconds(ms).padStart(6)}  ${file}`);
  sayFailures(failures(setup.checkout, results));
  heading('summary');
  for (const { name, tally, ms } of rows) say(`${tally.failed === 0 ? pc.green('✔') : pc.red('✖')} ${name.padEnd(14)} ${closingLine(tally)} [${seconds(ms)}]`);
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
  await withParts((setup, environmentOf) => runTests(setup, chosen, environmentOf), say);
};

await main(process.argv.slice(2));
