// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { checkout } from '../setup.ts';
import type { FileOutcome, Results, TestOutcome } from './results.ts';

interface ErrorLike {
  readonly message?: string;
  readonly stack?: string;
  readonly diff?: string;
}

/** The useful parts of an error: its message, the difference, and the place. */
const textOf = ({ message = '', stack, diff }: ErrorLike): string =>
  stripVTControlCharacters(
    [message, diff, stack === undefined ? undefined : placesIn(stack)].filter(Boolean).join('\n'),
  );

const placesIn = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('/node_modules/'))
    .join('\n');

const testOutcome = (test: TestCase): TestOutcome => {
  const { state, errors = [] } = test.result();
  return {
    name: test.fullName,
    state: state === 'pending' ? 'failed' : state,
    retried: test.diagnostic()?.flaky ?? false,
    errors: errors.map(textOf),
  };
};

const fileOutcome = (module: TestModule): FileOutcome => ({
  file: relative(checkout, module.moduleId),
  wallMs: Math.round(module.diagnostic().duration),
  processorMs: module.meta().processorMs ?? null,
  tests: [...module.children.allTests()].map(testOutcome),
  errors: [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())].map(textOf),
});

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/**
 * Prints a line for each finished file, prints failures at once, and saves the results in the file in
 * WRIT_TEST_RESULTS.
 */
// eslint-disable-next-line no-restricted-exports -- Vitest takes a reporter as the default export of its file
export default class FileReporter implements Reporter {
  readonly #path = process.env['WRIT_TEST_RESULTS'];

  onTestModuleEnd(module: TestModule): void {
    const { file, wallMs, processorMs, tests, errors } = fileOutcome(module);
    const failed = tests.filter(({ state }) => state === 'failed');
    const mark = module.ok() && errors.length === 0 ? '✔' : '✖';
    const skipped = tests.filter(({ state }) => state === 'skipped').length;
    const counts = `${tests.length} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(
      `${mark} ${file}  ${counts} [${seconds(wallMs)}${processorMs === null ? '' : `, processor ${seconds(processorMs)}`}]`,
    );
    for (const test of failed) console.log(`  ✖ ${test.name}\n${indented(test.errors.join('\n'))}`);
    for (const test of tests.filter(({ retried }) => retried))
      console.log(`  ! needed a second try: ${test.name}\n${indented(test.errors.join('\n'))}`);
    for (const error of errors) console.log(indented(error));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ErrorLike[]): void {
    const results: Results = { files: modules.map(fileOutcome), errors: unhandled.map(textOf) };
    for (const error of results.errors) console.log(`✖ an error outside of the tests\n${indented(error)}`);
    if (this.#path === undefined) return;
    mkdirSync(dirname(this.#path), { recursive: true });
    // By rename: a killed run leaves no incomplete file.
    writeFileSync(`${this.#path}.new`, JSON.stringify(results));
    renameSync(`${this.#path}.new`, this.#path);
  }
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
