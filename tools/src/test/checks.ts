// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { ensureChartTools } from '../chart/chart-tools.ts';
import type { Setup } from '../setup.ts';
import { CONSOLE_PROGRAMS, DEPLOY_PROGRAMS, ensurePrograms } from './check-programs.ts';
import { suiteFiles, type SuiteName } from './suite-files.ts';

/**
 * Lanes of a phase run in parallel, and phases one after another. Specs that kill and freeze processes have time
 * limits, and others measure times of a few milliseconds, so nothing else runs beside either.
 */
export const PHASES = [['analysis', 'stacks'], ['faults'], ['timing'], ['long'], ['deploy'], ['cluster']] as const;

export type Lane = (typeof PHASES)[number][number];

/** A process of `npm test`. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** whether it starts after the build and the infrastructure, or at once */
  readonly afterSetUp: boolean;
  /** Checks of one lane run one after another. */
  readonly lane: Lane;
  /** Its suites of specs and its results file. Without any, the check counts as one test. */
  readonly specs?: { readonly suites: readonly SuiteName[]; readonly results: string };
  /** environment variables */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Makes what it alone needs, before it starts. Where that fails, the check has failed.
   *
   * @throws SetupError with what is missing
   */
  readonly prepare?: (setup: Setup) => Promise<unknown>;
}

/** The selection of checks to run. */
export interface Selection {
  /** names of checks and suites */
  readonly names: readonly string[];
  /** the number of this shard, from 1 to `count`; all take about the same time */
  readonly shard?: { readonly index: number; readonly count: number };
  /** path filters of each suite; all files by default */
  readonly files?: Readonly<Partial<Record<SuiteName, readonly string[]>>>;
}

/** Specs of whole stacks that others may run beside. */
const STACK_SUITES = ['e2e', 'adversarial'] as const satisfies readonly SuiteName[];

/** The names for `--only`, in the order of the summary. */
export const CHECK_NAMES = [
  'lint',
  'types',
  'modules',
  'docs',
  'canary',
  'fuzz',
  ...Object.keys(suiteFiles),
] as readonly string[];

/**
 * Run only on request with `--only`: `long` has the specs of all suites that take long; `chart` builds Helm and its
 * checkers the first time; `deploy` builds images and runs deployments for minutes; `cluster` needs root, and builds
 * Kubernetes the first time.
 */
export const ON_REQUEST = ['long', 'chart', 'deploy', 'cluster'] as const satisfies readonly SuiteName[];

/** The checks without named ones. */
export const DEFAULT_NAMES = CHECK_NAMES.filter((name) => !(ON_REQUEST as readonly string[]).includes(name));

/** Parallel files of unit specs, beside those of the other lane: some assert that a process reacts within seconds. */
const UNIT_WORKERS = 2;

/** Parallel files of stack specs, beside those of the other lane. */
const STACK_WORKERS = 2;

/** Parallel files of fault specs: they wait for leases and restarts two thirds of their time. */
const FAULT_WORKERS = 3;

/**
 * Retries of a failed test (vitest.config.ts): many tests wait for processes, and their time depends on the machine's
 * load. A test that passes then is listed at the end of the run: it shows a defect of the test or of the tested code.
 * Attacks run once, and a property that fails once has failed (tally.ts).
 */
const RETRIES = '1';

/** Seconds of fuzzing, which fills a processor all the time. */
const FUZZ_SECONDS = 60;

/** Seconds of the fuzzer of the API for each of seven callers, two at once, where it runs alone. */
const API_FUZZ_SECONDS = process.env['WRIT_API_FUZZ_SECONDS'] ?? '120';

const SOURCE = ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning'];

/** Vitest with some suites, whose results go to one file. */
export const vitestCheck = (
  checkout: string,
  stateDir: string,
  name: string,
  suites: readonly SuiteName[],
  lane: Check['lane'],
  flags: readonly string[],
): Check => ({
  name,
  command: [
    process.execPath,
    join(checkout, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...suites.flatMap((suite) => projectsOf(suite)).map((project) => `--project=${project}`),
    '--allowOnly=false',
    `--reporter=${join(checkout, 'tools', 'src', 'vitest', 'file-reporter.ts')}`,
    ...flags,
  ],
  afterSetUp: true,
  lane,
  env: { WRIT_TEST_RETRIES: RETRIES },
  specs: { suites, results: join(stateDir, 'results', `${name}.json`) },
});

/** The projects of vitest.config.ts for a suite: specs that share a stack have their own project. */
const projectsOf = (suite: SuiteName): readonly string[] => {
  if (suite === 'e2e') return ['e2e', 'shared'];
  return suite === 'long' ? ['long', 'shared-long'] : [suite];
};

const source = (checkout: string, path: string, ...args: string[]): string[] => [
  process.execPath,
  ...SOURCE,
  join(checkout, 'tools', 'src', path),
  ...args,
];

const analysis = (checkout: string): Check[] => {
  const bin = (name: string): string => join(checkout, 'node_modules', '.bin', name);
  return [
    { name: 'lint', command: source(checkout, 'lint.ts'), afterSetUp: false, lane: 'analysis' },
    {
      name: 'types',
      command: [
        process.execPath,
        join(checkout, 'node_modules', 'typescript-native', 'bin', 'tsc'),
        '--build',
        'tsconfig.check.json',
        '--pretty',
        'false',
      ],
      afterSetUp: true,
      lane: 'analysis',
    },
    {
      name: 'modules',
      command: [bin('depcruise'), '--config', join(checkout, '.dependency-cruiser.mjs'), 'apps', 'libs'],
      afterSetUp: true,
      lane: 'analysis',
    },
    // The set-up has built the site; this checks its links.
    { name: 'docs', command: source(checkout, 'site/main.ts'), afterSetUp: true, lane: 'analysis' },
  ];
};

/** They need no stack, and are in that lane because it is shorter. */
const afterStacks = (checkout: string): Check[] => [
  { name: 'canary', command: source(checkout, 'canary/main.ts'), afterSetUp: true, lane: 'stacks' },
  {
    name: 'fuzz',
    command: source(checkout, 'fuzz/main.ts', '--seconds', String(FUZZ_SECONDS)),
    afterSetUp: true,
    lane: 'stacks',
  },
];

const ensureBrowser = (setup: Setup): Promise<void> => ensurePrograms(setup, CONSOLE_PROGRAMS);

const preparedBy = (checks: readonly Check[], prepare: Check['prepare']): Check[] =>
  checks.map((check) => ({ ...check, prepare }));

/** The checks of a selection, in the order of each lane: cheap ones that explain failures of others come first. */
export const checksOf = (checkout: string, stateDir: string, { names, shard, files }: Selection): Check[] => {
  const chosen = (name: string): boolean => names.includes(name);
  // A shard may have no file.
  const shardFlags = shard === undefined ? [] : [`--shard=${shard.index}/${shard.count}`, '--passWithNoTests'];
  // Vitest's filters apply to all suites of a run: beside a filtered suite, each other suite is named completely.
  const fileFlags = (suites: readonly SuiteName[]): string[] =>
    suites.every((suite) => files?.[suite] === undefined)
      ? []
      : suites.flatMap((suite) => files?.[suite] ?? [`tests/${suite}/`]);
  const stackSuites = STACK_SUITES.filter(chosen);
  const vitest = (name: string, suites: readonly SuiteName[], lane: Check['lane'], workers: number): Check[] =>
    suites.length === 0
      ? []
      : [
          vitestCheck(checkout, stateDir, name, suites, lane, [
            `--maxWorkers=${workers}`,
            ...shardFlags,
            ...fileFlags(suites),
          ]),
        ];
  // Only specs are divided: the rest takes two minutes.
  const undivided = (checks: readonly Check[]): Check[] =>
    shard === undefined || shard.index === 1 ? checks.filter(({ name }) => chosen(name)) : [];
  return [
    ...undivided(analysis(checkout)),
    ...vitest('unit', (['unit'] as const).filter(chosen), 'analysis', UNIT_WORKERS),
    ...vitest('stacks', stackSuites, 'stacks', STACK_WORKERS),
    ...undivided(afterStacks(checkout)),
    // A browser and a stack take both processors.
    ...preparedBy(vitest('console', (['console'] as const).filter(chosen), 'stacks', 1), ensureBrowser),
    // It has a time of its own, which other specs of stacks would take from it.
    ...vitest('api-fuzz', (['api-fuzz'] as const).filter(chosen), 'stacks', 1).map((check) => ({
      ...check,
      // Alone it looks for something new, as long as `WRIT_API_FUZZ_SECONDS` says.
      env: { ...(names.length === 1 ? { WRIT_API_FUZZ_SECONDS: API_FUZZ_SECONDS } : {}), ...check.env },
    })),
    ...vitest('faults', (['fault'] as const).filter(chosen), 'faults', FAULT_WORKERS),
    ...vitest('timing', (['timing'] as const).filter(chosen), 'timing', 1),
    // Most pages of the console are among them.
    ...preparedBy(vitest('long', (['long'] as const).filter(chosen), 'long', STACK_WORKERS), ensureBrowser),
    // It renders the chart, and needs no other part.
    ...preparedBy(vitest('chart', (['chart'] as const).filter(chosen), 'deploy', UNIT_WORKERS), ensureChartTools).map(
      (check) => ({ ...check, afterSetUp: false }),
    ),
    ...preparedBy(vitest('deploy', (['deploy'] as const).filter(chosen), 'deploy', 1), (setup) =>
      ensurePrograms(setup, DEPLOY_PROGRAMS),
    ),
    // Its own set-up (release/cluster-setup.ts) starts a node, builds this checkout and makes the images, in its own
    // engine: it needs no other part.
    ...vitest('cluster', (['cluster'] as const).filter(chosen), 'cluster', 1).map((check) => ({
      ...check,
      afterSetUp: false,
      env: {},
    })),
  ];
};
