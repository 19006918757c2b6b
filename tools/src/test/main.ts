// SPDX-License-Identifier: Apache-2.0
// `npm test`: every check of the repository on real parts. Its last line is `N passed, N failed`, alone on a line.
import { cpus } from 'node:os';
import pc from 'picocolors';
import { explain } from '../explain.ts';
import { checkout, type Setup } from '../setup.ts';
import { keepDurations } from '../vitest/durations.ts';
import type { FileOutcome, Results } from '../vitest/results.ts';
import { affectedBy, changedSince, narrowed, readProjects } from './affected.ts';
import { parseArguments, type Arguments } from './arguments.ts';
import type { TestEnvironment } from './bring-up.ts';
import { ensurePrograms } from './check-programs.ts';
import {
  checksOf,
  CHECK_NAMES,
  DEFAULT_NAMES,
  ON_REQUEST,
  PHASES,
  type Check,
  type Lane,
  type Selection,
} from './checks.ts';
import { busyShare, processorTimes } from './processor-times.ts';
import { failuresOf, retriedOf, slowestFiles, timesOf, type Failure } from './report.ts';
import { runCheck, type Outcome } from './run-check.ts';
import { suiteOf } from './suite-files.ts';
import { add, closingLine, NONE, ONE_FAILED, ONE_PASSED, tallyOf, type Tally } from './tally.ts';
import { withParts } from './with-parts.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const heading = (text: string): void => say(`\n${pc.bold(`── ${text} `.padEnd(100, '─'))}`);
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** Wide enough for the longest name of a check. */
const NAME_WIDTH = 12;

/** What a check did, and how long it took. */
interface Ran {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly ms: number;
}

const NOT_RUN: Outcome = { ok: false, results: null };

/** Runs a check once the programs that it starts are there. Without them it did not run, which is a failure. */
const runPrepared = async (
  setup: Setup,
  check: Check,
  environment: TestEnvironment,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  try {
    await ensurePrograms(setup, check.programs ?? []);
  } catch (error) {
    explain(error);
    return NOT_RUN;
  }
  return runCheck(setup, check, environment, onLine);
};

/**
 * Runs the checks of each lane one after the other, and the lanes of a phase beside each other. A check whose set-up
 * failed did not run, which is a failure.
 */
const runLanes = async (setup: Setup, checks: readonly Check[], ready: Promise<TestEnvironment>): Promise<Ran[]> => {
  const run = async (check: Check): Promise<Ran> => {
    const environment = !check.afterSetUp ? {} : await ready.catch(() => null);
    const began = performance.now();
    const onLine = (line: string): void => say(`${pc.dim(`${check.name.padEnd(NAME_WIDTH)}│`)} ${line}`);
    const outcome = environment === null ? NOT_RUN : await runPrepared(setup, check, environment, onLine);
    const ms = performance.now() - began;
    onLine(`${outcome.ok ? pc.green('✔') : pc.red('✖')} ${check.name} [${seconds(ms)}]`);
    return { check, outcome, ms };
  };
  const runLane = async (lane: Lane): Promise<Ran[]> => {
    const done: Ran[] = [];
    for (const check of checks.filter((each) => each.lane === lane)) done.push(await run(check));
    return done;
  };
  const ran: Ran[] = [];
  for (const lanes of PHASES) ran.push(...(await Promise.all(lanes.map(runLane))).flat());
  return ran;
};

const tallyOfCheck = ({ check, outcome }: Ran): Tally => {
  if (check.specs === undefined) return outcome.ok ? ONE_PASSED : ONE_FAILED;
  const tally = tallyOf(outcome.results);
  // A runner that fails with no failed test has failed to run something.
  return !outcome.ok && tally.failed === 0 ? add(tally, ONE_FAILED) : tally;
};

const sayFailures = (title: string, mark: string, failed: readonly Failure[]): void => {
  if (failed.length > 0) heading(title);
  for (const { file, test, lines } of failed) {
    say(`${mark} ${file ?? 'outside of the tests'} ${test ?? pc.dim('(could not be run)')}`);
    for (const line of lines) say(`    ${line}`);
  }
};

/** Wall and processor time; what is left of the first waits, or has no processor for itself. */
const timesLine = (files: readonly FileOutcome[]): string => {
  const { wallMs, processorMs } = timesOf(files);
  return `${seconds(wallMs).padStart(7)} wall ${seconds(processorMs).padStart(7)} processor ${seconds(Math.max(0, wallMs - processorMs)).padStart(7)} waiting`;
};

const sayTimes = (results: readonly Results[]): void => {
  heading('slowest files');
  for (const file of slowestFiles(results)) say(`${timesLine([file])}  ${file.file}`);
};

const saySummary = (ran: readonly Ran[]): void => {
  heading('summary');
  const row = (name: string, tally: Tally, times: string): void =>
    say(
      `${tally.failed === 0 ? pc.green('✔') : pc.red('✖')} ${name.padEnd(NAME_WIDTH)} ${closingLine(tally).padEnd(36)} ${times}`,
    );
  for (const each of ran) {
    const { check, outcome, ms } = each;
    row(check.name, tallyOfCheck(each), `${seconds(ms).padStart(7)} wall`);
    const bySuite = Map.groupBy(outcome.results?.files ?? [], ({ file }) => suiteOf(file));
    for (const [suite, files] of bySuite) row(`  ${suite ?? '?'}`, tallyOf({ files, errors: [] }), timesLine(files));
  }
};

const selectionOf = async ({ names, changed, shard }: Arguments): Promise<Selection> => {
  const all: Selection = { names, ...(shard === undefined ? {} : { shard }) };
  if (changed === undefined) return all;
  const affected = affectedBy(changedSince(checkout, changed), await readProjects());
  if (affected === 'everything') {
    say(`the changes since ${changed} can affect everything`);
    return all;
  }
  return narrowed(checkout, { ...all, ...affected, names: names.filter((name) => affected.names.includes(name)) });
};

/** Whatever happens, there is a closing line, and nothing that could not run counts as passed. */
const runTests = async (
  setup: Setup,
  args: Arguments,
  environmentOf: () => Promise<TestEnvironment>,
): Promise<number> => {
  let tally = ONE_FAILED;
  const [began, before] = [performance.now(), processorTimes()];
  try {
    const checks = checksOf(checkout, setup.stateDir, await selectionOf(args));
    if (checks.length === 0)
      say(
        args.changed === undefined
          ? 'nothing to run in this shard: it has specs alone'
          : 'nothing to run: the changes affect no check',
      );
    const ready = checks.some(({ afterSetUp }) => afterSetUp) ? environmentOf() : Promise.resolve({});
    ready.catch(explain);
    const ran = await runLanes(setup, checks, ready);
    const results = ran.flatMap(({ outcome }) => outcome.results ?? []);
    if (results.length > 0) sayTimes(results);
    sayFailures('needed a second try', pc.yellow('!'), retriedOf(results));
    sayFailures('failed', pc.red('✖'), failuresOf(results));
    saySummary(ran);
    if (args.keepDurations) keepDurations(results);
    tally = ran.map(tallyOfCheck).reduce(add, NONE);
  } catch (error) {
    explain(error);
  }
  for (const name of ON_REQUEST)
    if (args.names === DEFAULT_NAMES)
      say(`\nnot run, since it runs only on request: ${name} (npm test -- --only ${name})`);
  say(
    `\n${seconds(performance.now() - began)}, in which ${cpus().length} processors were busy for ${Math.round(busyShare(before, processorTimes()) * 100)} %`,
  );
  say('');
  say(closingLine(tally));
  return tally.failed === 0 ? 0 : 1;
};

const main = async (args: readonly string[]): Promise<void> => {
  const parsed = parseArguments(args, CHECK_NAMES, DEFAULT_NAMES);
  if (typeof parsed === 'number') process.exit(parsed);
  await withParts((setup, environmentOf) => runTests(setup, parsed, environmentOf), say);
};

await main(process.argv.slice(2));
