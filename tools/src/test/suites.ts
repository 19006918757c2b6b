// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a project's jest leaves its results, relative to the project. */
export const RESULTS = join('coverage', 'results.json');

/** Something that `npm test` runs, and what it counts as. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  /** Results of jest to be added up; without any, the check counts as one test. */
  readonly results: readonly string[];
}

const KINDS = ['apps', 'libs'] as const;

/**
 * Those that start whole processes, each test a Writ of its own, and how many files run at once. Whoever kills and measures has the machine for itself; whoever calls waits a third of the time,
 * for leases, sweeps and starts.
 */
const WHOLE = { e2e: 2, fault: 1, adversarial: 1 } as const;
const WHOLE_NAMES = Object.keys(WHOLE) as (keyof typeof WHOLE)[];

const hasSpecs = (dir: string): boolean =>
  existsSync(dir) && readdirSync(dir, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.spec.ts'));

/** Without a spec jest leaves no results, so none are expected. */
const hasTests = (dir: string): boolean => {
  const file = join(dir, 'package.json');
  if (!existsSync(file)) return false;
  const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
  return scripts['test'] !== undefined && hasSpecs(join(dir, 'src'));
};

/** Projects whose tests `nx` runs. */
export const testedProjects = (checkout: string): string[] =>
  [
    ...KINDS.flatMap((kind) => readdirSync(join(checkout, kind)).map((name) => join(checkout, kind, name))), join(checkout, 'tools'), join(checkout, 'tests', 'corpus'),
  ].filter(hasTests);

const nx = (...args: string[]): string[] => ['nx', ...args];

const whole = (checkout: string, name: keyof typeof WHOLE): Check => {
  const dir = join(checkout, 'tests', name);
  const jest = [process.execPath, '--experimental-vm-modules', join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')];
  const flags = ['-c', join(checkout, 'jest.whole.config.mjs'), '--rootDir', dir, `--maxWorkers=${WHOLE[name]}`, '--json', `--outputFile=${join(dir, RESULTS)}`];
  return { name, command: [...jest, ...flags], cwd: dir, results: [join(dir, RESULTS)] };
};

const optional = (path: string, check: Check): Check[] => (existsSync(path) ? [check] : []);

/** All checks in the order in which they run: the cheap ones that explain the failures of the others first. */
export const allChecks = (checkout: string): Check[] => {
  const projects = testedProjects(checkout);
  const canary = join(checkout, 'tools', 'src', 'canary', 'main.ts');
  const fuzzer = join(checkout, 'tools', 'src', 'fuzz', 'main.ts');
  const cruiser = join(checkout, '.dependency-cruiser.mjs');
  const one = (name: string, command: readonly string[]): Check => ({ name, command, cwd: checkout, results: [] });
  return [
    // Through nx: run directly, ESLint has no project graph, and the boundary rule says nothing.
    one('lint', nx('run-many', '-t', 'lint', '--parallel=2', '--outputStyle=static')),
    one('types', nx('run-many', '-t', 'typecheck', '--parallel=2', '--outputStyle=static')),
    ...optional(cruiser, one('modules', ['depcruise', '--config', cruiser, 'apps', 'libs'])),
    ...optional(canary, one('canary', [process.execPath, '--conditions=@writ/source', canary])),
    ...optional(fuzzer, one('fuzz', [process.execPath, '--conditions=@writ/source', '--disable-warning=ExperimentalWarning', fuzzer, '--seconds', '60'])),
    {
      name: 'unit',
      // Not from nx's cache: what runs on real parts can fail without any file having changed.
      command: nx('run-many', '-t', 'test', '--parallel=2', '--outputStyle=static', '--skip-nx-cache', '--exclude=@writ/tests-*', '--', '--json', `--outputFile=${RESULTS}`),
      cwd: checkout,
      results: projects.map((dir) => join(dir, RESULTS)),
    },
    ...WHOLE_NAMES.filter((name) => hasSpecs(join(checkout, 'tests', name))).map((name) => whole(checkout, name)),
  ];
};
