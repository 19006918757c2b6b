// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { DEPLOY_PROGRAMS, type CheckProgram } from './check-programs.ts';
import { suiteFiles, type SuiteName } from './suite-files.ts';

/**
 * Lanes of a phase run beside each other, and phases one after the other: specs that kill and freeze processes have
 * deadlines, and nothing else runs beside them.
 */
export const PHASES = [['analysis', 'stacks'], ['faults'], ['deploy'], ['cluster']] as const;

export type Lane = (typeof PHASES)[number][number];

/** Something that `npm test` runs as one process. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** whether it begins when the build and the parts are there, or at once */
  readonly afterSetUp: boolean;
  /** Checks of one lane run one after the other. */
  readonly lane: Lane;
  /** The suites of specs that it runs and where it leaves their results. Without any, the check counts as one test. */
  readonly specs?: { readonly suites: readonly SuiteName[]; readonly results: string };
  /** variables of its environment */
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that are installed before it runs. Where one can't be, the check has failed. */
  readonly programs?: readonly CheckProgram[];
}

/** What to run of all that there is. */
export interface Selection {
  /** names of checks and suites */
  readonly names: readonly string[];
  /** of `n` parts of about the same length, this one: from 1 to `count` */
  readonly shard?: { readonly index: number; readonly count: number };
  /** of each suite, only the files whose path contains one of these; all of them where nothing is said */
  readonly files?: Readonly<Partial<Record<SuiteName, readonly string[]>>>;
}

/** Specs of whole stacks, beside which others may run. */
const STACK_SUITES = ['e2e', 'adversarial'] as const satisfies readonly SuiteName[];

/** The names that `--only` takes, in the order of the summary. */
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
 * Run only where `--only` names them: `deploy` builds images and keeps deployments up for minutes; `cluster` needs
 * root, and builds Kubernetes where that isn't built yet.
 */
export const ON_REQUEST = ['deploy', 'cluster'] as const satisfies readonly SuiteName[];

/** What runs where nothing is named. */
export const DEFAULT_NAMES = CHECK_NAMES.filter((name) => !(ON_REQUEST as readonly string[]).includes(name));

/**
 * Files of unit specs that run at once, beside those of the other lane: some assert what a process must do within
 * seconds.
 */
const UNIT_WORKERS = 2;

/** Files of specs of stacks that run at once, beside those of the other lane. */
const STACK_WORKERS = 2;

/** Files of fault specs that run at once: they wait for leases and restarts for two thirds of their time. */
const FAULT_WORKERS = 3;

/**
 * How often a failed test runs again (vitest.config.ts): many wait for processes, and how long those take depends on
 * what else the machine does. A test that passes then is listed at the end of the run: it is a defect, of the test or
 * of what it tests. Attacks run once, and a property that fails once has failed (tally.ts).
 */
const RETRIES = '1';

/** Seconds of fuzzing. The fuzzer fills a processor for as long as it is given. */
const FUZZ_SECONDS = 60;

const SOURCE = ['--conditions=@writ/source', '--disable-warning=ExperimentalWarning'];

/** Vitest on some suites, whose results go to one file. */
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

/**
 * The projects of vitest.config.ts that a suite consists of: those of its specs that share a stack are one of their
 * own.
 */
const projectsOf = (suite: SuiteName): readonly string[] => (suite === 'e2e' ? ['e2e', 'shared'] : [suite]);

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
      command: [bin('tsc'), '--build', 'tsconfig.check.json', '--pretty', 'false'],
      afterSetUp: true,
      lane: 'analysis',
    },
    {
      name: 'modules',
      command: [bin('depcruise'), '--config', join(checkout, '.dependency-cruiser.mjs'), 'apps', 'libs'],
      afterSetUp: true,
      lane: 'analysis',
    },
    // The set-up has built the site: this follows its links.
    { name: 'docs', command: source(checkout, 'site/main.ts'), afterSetUp: true, lane: 'analysis' },
  ];
};

/** They need no stack, and stand in that lane because it is the shorter one. */
const afterStacks = (checkout: string): Check[] => [
  { name: 'canary', command: source(checkout, 'canary/main.ts'), afterSetUp: true, lane: 'stacks' },
  {
    name: 'fuzz',
    command: source(checkout, 'fuzz/main.ts', '--seconds', String(FUZZ_SECONDS)),
    afterSetUp: true,
    lane: 'stacks',
  },
];

/**
 * The checks of a selection, in the order in which each lane runs them: the cheap ones that explain the failures of the
 * others first.
 */
export const checksOf = (checkout: string, stateDir: string, { names, shard, files }: Selection): Check[] => {
  const chosen = (name: string): boolean => names.includes(name);
  // A shard may be left without a file.
  const shardFlags = shard === undefined ? [] : [`--shard=${shard.index}/${shard.count}`, '--passWithNoTests'];
  // Vitest's filters hold for all suites of a run: beside one that is narrowed, each other is named whole.
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
    ...vitest('faults', (['fault'] as const).filter(chosen), 'faults', FAULT_WORKERS),
    ...vitest('deploy', (['deploy'] as const).filter(chosen), 'deploy', 1).map((check) => ({
      ...check,
      programs: DEPLOY_PROGRAMS,
    })),
    // Its own set-up (release/cluster-setup.ts) brings a node up, builds this checkout and makes the images, in an
    // engine of its own: it waits for nothing of ours.
    ...vitest('cluster', (['cluster'] as const).filter(chosen), 'cluster', 1).map((check) => ({
      ...check,
      afterSetUp: false,
      env: {},
    })),
  ];
};
