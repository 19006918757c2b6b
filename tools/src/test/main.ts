// SPDX-License-Identifier: Apache-2.0
// `npm test`: every check of the repository on real infrastructure. Its last line is `N passed, N failed`.
import { cpus } from 'node:os';
import pc from 'picocolors';
import { explain } from '../explain.ts';
import { checkout, type Setup } from '../setup.ts';
import { keepDurations } from '../vitest/durations.ts';
import type { FileOutcome, Results } from '../vitest/results.ts';
import { affectedBy, changedSince, narrowed, readProjects } from './affected.ts';
import { parseArguments, type Arguments } from './arguments.ts';
import type { TestEnvironment } from './bring-up.ts';
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
import { withTemporary } from './temporary.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const heading = (text: string): void => print(`\n${pc.bold(`── ${text} `.padEnd(100, '─'))}`);
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** As wide as the longest name of a check. */
const NAME_WIDTH = 12;

/** The result and duration of a check. */
interface Ran {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly ms: number;
}

const NOT_RUN: Outcome = { ok: false, results: null };

/** Runs a check after what it needs was made. Without that it did not run, which is a failure. */
const runPrepared = async (
  setup: Setup,
  check: Check,
  environment: TestEnvironment,
  onLine: (line: string) => void,
): Promise<Outcome> => {
  try {
    await check.prepare?.(setup);
  } catch (error) {
    explain(error);
    return NOT_RUN;
  }
  return runCheck(setup, check, environment, onLine);
};

/**
 * Runs the checks of each lane one after another, and the lanes of a phase in parallel. A check whose set-up failed did
 * not run, which is a failure.
 */
const runLanes = async (setup: Setup, checks: readonly Check[], ready: Promise<TestEnvironment>): Promise<Ran[]> => {
  const run = async (check: Check): Promise<Ran> => {
    const environment = !check.afterSetUp ? {} : await ready.catch(() => null);
    const began = performance.now();
    const onLine = (line: string): void => print(`${pc.dim(`${check.name.padEnd(NAME_WIDTH)}│`)} ${line}`);
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
  // A runner that fails without a failed test could not run something.
  return !outcome.ok && tally.failed === 0 ? add(tally, ONE_FAILED) : tally;
};

const printFailures = (title: string, mark: string, failed: readonly Failure[]): void => {
  if (failed.length > 0) heading(title);
  for (const { file, test, lines } of failed) {
    print(`${mark} ${file ?? 'outside of the tests'} ${test ?? pc.dim('(could not be run)')}`);
    for (const line of lines) print(`    ${line}`);
  }
};

/** Wall and processor time; the difference is waiting. */
const timesLine = (files: readonly FileOutcome[]): string => {
  const { wallMs, processorMs } = timesOf(files);
  return `${seconds(wallMs).padStart(7)} wall ${seconds(processorMs).padStart(7)} processor ${seconds(Math.max(0, wallMs - processorMs)).padStart(7)} waiting`;
};

const printTimes = (results: readonly Results[]): void => {
  heading('slowest files');
  for (const file of slowestFiles(results)) print(`${timesLine([file])}  ${file.file}`);
};

const printSummary = (ran: readonly Ran[]): void => {
  heading('summary');
  const row = (name: string, tally: Tally, times: string): void =>
    print(
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
    print(`the changes since ${changed} can affect everything`);
    return all;
  }
  return narrowed(checkout, { ...all, ...affected, names: names.filter((name) => affected.names.includes(name)) });
};

/** In each case it prints a closing line, and checks that could not run don't count as passed. */
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
      print(
        args.changed === undefined
          ? 'nothing to run in this shard: it has specs alone'
          : 'nothing to run: the changes affect no check',
      );
    const ready = checks.some(({ afterSetUp }) => afterSetUp) ? environmentOf() : Promise.resolve({});
    ready.catch(explain);
    const ran = await runLanes(setup, checks, ready);
    const results = ran.flatMap(({ outcome }) => outcome.results ?? []);
    if (results.length > 0) printTimes(results);
    printFailures('needed a second try', pc.yellow('!'), retriedOf(results));
    printFailures('failed', pc.red('✖'), failuresOf(results));
    printSummary(ran);
    if (args.keepDurations) keepDurations(results);
    tally = ran.map(tallyOfCheck).reduce(add, NONE);
  } catch (error) {
    explain(error);
  }
  for (const name of ON_REQUEST)
    if (args.names === DEFAULT_NAMES)
      print(`\nnot run, since it runs only on request: ${name} (npm test -- --only ${name})`);
  print(
    `\n${seconds(performance.now() - began)}, in which ${cpus().length} processors were busy for ${Math.round(busyShare(before, processorTimes()) * 100)} %`,
  );
  print('');
  print(closingLine(tally));
  return tally.failed === 0 ? 0 : 1;
};

const main = async (args: readonly string[]): Promise<void> => {
  const parsed = parseArguments(args, CHECK_NAMES, DEFAULT_NAMES);
  if (typeof parsed === 'number') process.exit(parsed);
  await withParts(
    (setup, environmentOf) =>
      withTemporary(setup.stateId, (folder) =>
        runTests({ ...setup, env: { ...setup.env, TMPDIR: folder } }, parsed, environmentOf),
      ),
    print,
  );
};

await main(process.argv.slice(2));
