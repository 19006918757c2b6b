// SPDX-License-Identifier: Apache-2.0
// `npm test -- --changed`: the checks that changed files can affect, by Nx's project graph. A file outside of all
// projects selects all checks.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createProjectGraphAsync } from '@nx/devkit';
import { SetupError } from '../setup-error.ts';
import { suiteFiles, type SuiteName } from './suite-files.ts';
import type { Selection } from './checks.ts';

/** The projects of a workspace, and their dependencies. */
export interface Projects {
  /** by name: the folder, relative to the checkout */
  readonly roots: Readonly<Record<string, string>>;
  /** by name: the projects that it depends on */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
}

/** Files that no check reads. */
const WITHOUT_EFFECT = /^(?:LICENSE|\.gitignore|\.changes\/)/;

/** Documents and examples that specs in `tools` compare with the code. */
const READ_BY_TOOLS = /^(?:docs\/|examples\/|[^/]+\.md$)/;

/**
 * The build, execution and counting of tests, and the schema of their databases. A change of these can affect all
 * tests.
 */
const FOR_ALL =
  /^tools\/(?:[^/]+$|src\/[^/]+$|src\/(?:test|vitest|parts|build|process|supervisor)\/)|\/(?:prisma|sql)\//;

/** Files that a project reads by path, which the graph doesn't have. */
const READ_BY_PATH: readonly { readonly from: string; readonly by: string }[] = [
  { from: 'apps/sandbox-agent', by: 'libs/sandbox-docker' },
];

/** Specs that compare documents and lists of tools with code and tests of any project: they run after every change. */
const SPECS_OF_ALL = ['tools/src/docs/', 'tools/src/tool-registrations/'] as const;
/** Runs the commands of a guide without a stack. */
const BY_HAND_SPEC = 'apps/cli/src/verify/by-hand.spec.ts';
/** Checks that tests named for fault codes exist, in all specs. */
const FAULT_CODES_SPEC = 'tests/e2e/src/fault-codes.spec.ts';

/** Specs that run the commands of guides, without the long one. */
const GUIDES = /^docs\/(?:tutorials|how-to|reference|explanation)\//;
const GUIDE_SPECS = ['tests/e2e/src/freeze.spec.ts'];

const TOOLS = 'tools';
const FUZZED = 'libs/mk8-shell';
const STACK_SUITES = {
  e2e: 'tests/e2e',
  fault: 'tests/fault',
  adversarial: 'tests/adversarial',
} as const satisfies Partial<Record<SuiteName, string>>;

const isBelow = (file: string, root: string): boolean => file.startsWith(`${root}/`);

/** The project of a file: the one with the longest parent path. */
const projectOf = ({ roots }: Projects, file: string): string | undefined =>
  Object.entries(roots)
    .filter(([, root]) => isBelow(file, root))
    .toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];

/** The projects and everything that depends on them, transitively. */
const withDependants = ({ dependencies }: Projects, names: ReadonlySet<string>): Set<string> => {
  const all = new Set(names);
  for (let before = -1; before !== all.size;) {
    before = all.size;
    for (const [name, needed] of Object.entries(dependencies)) if (needed.some((each) => all.has(each))) all.add(name);
  }
  return all;
};

/**
 * The checks that the files can affect.
 *
 * @param changed paths relative to the checkout
 * @returns what to run, or `everything` where a file has no project, or is part of the test infrastructure
 */
export const affectedBy = (
  changed: readonly string[],
  projects: Projects,
): Pick<Selection, 'names' | 'files'> | 'everything' => {
  const files = changed.filter((file) => !WITHOUT_EFFECT.test(file));
  if (files.length === 0) return { names: [] };
  const [texts, sources] = [
    files.filter((file) => READ_BY_TOOLS.test(file)),
    files.filter((file) => !READ_BY_TOOLS.test(file)),
  ];
  if (sources.some((file) => FOR_ALL.test(file) || projectOf(projects, file) === undefined)) return 'everything';
  const isSpec = (file: string): boolean => file.endsWith('.spec.ts');
  // A changed spec affects itself, and those that check names of tests.
  const direct = new Set(sources.filter((file) => !isSpec(file)).map((file) => projectOf(projects, file) as string));
  const byPath = READ_BY_PATH.filter(({ from }) => sources.some((file) => !isSpec(file) && isBelow(file, from))).map(
    ({ by }) => by,
  );
  const roots = [...withDependants(projects, direct)].map((name) => projects.roots[name] as string).concat(byPath);
  const whole = new Set([...roots, ...(texts.length > 0 ? [TOOLS] : [])]);
  const unit = [
    ...[...whole].filter((root) => !Object.values<string>(STACK_SUITES).includes(root)).map((root) => `${root}/`),
    ...specsOutside([...sources.filter(isSpec), ...(texts.length > 0 ? [BY_HAND_SPEC] : [])], whole),
    ...(whole.has(TOOLS) ? [] : SPECS_OF_ALL),
  ];
  const stacks = Object.entries(STACK_SUITES).flatMap(([suite, root]): [SuiteName, string[]][] => {
    if (whole.has(root)) return [[suite as SuiteName, [`${root}/`]]];
    const guides = texts.some((file) => GUIDES.test(file)) ? GUIDE_SPECS : [];
    const named = sources.some(isSpec) ? [FAULT_CODES_SPEC] : [];
    const own = [...new Set([...sources.filter(isSpec), ...guides, ...named])].filter((file) => isBelow(file, root));
    return own.length > 0 ? [[suite as SuiteName, own]] : [];
  });
  return {
    names: [
      ...(sources.length > 0 ? ['lint', 'types', 'modules', 'canary'] : []),
      // A tool builds the site from texts.
      ...(whole.has(TOOLS) ? ['docs'] : []),
      ...(whole.has(FUZZED) ? ['fuzz'] : []),
      // The folders are the same, and `narrowed` removes those without a spec of that suite.
      ...(unit.length > 0 ? ['unit', 'timing'] : []),
      ...stacks.map(([suite]) => suite),
    ],
    files: {
      ...(unit.length > 0 ? { unit: unit.toSorted(), timing: unit.toSorted() } : {}),
      ...Object.fromEntries(stacks),
    },
  };
};

/** Changed unit specs of projects that don't run completely. */
const specsOutside = (specs: readonly string[], whole: ReadonlySet<string>): string[] =>
  specs.filter((file) => ![...whole, ...Object.values(STACK_SUITES)].some((root) => isBelow(file, root)));

/**
 * Removes filters without a spec, such as those of a project without specs or of a deleted one: Vitest fails a run
 * without files.
 */
export const narrowed = (checkout: string, { names, files = {}, ...rest }: Selection): Selection => {
  const found = Object.entries(files).map(([suite, filters]) => {
    const specs = globSync([...suiteFiles[suite as SuiteName]], { cwd: checkout });
    return [suite, filters.filter((filter) => specs.some((spec) => spec.includes(filter)))] as const;
  });
  const empty = found.filter(([, filters]) => filters.length === 0).map(([suite]) => suite);
  return {
    ...rest,
    names: names.filter((name) => !empty.includes(name as SuiteName)),
    files: Object.fromEntries(found.filter(([, filters]) => filters.length > 0)),
  };
};

/** The projects of this workspace, from Nx. */
export const readProjects = async (): Promise<Projects> => {
  const { nodes, dependencies } = await createProjectGraphAsync({ exitOnError: false });
  return {
    roots: Object.fromEntries(Object.entries(nodes).map(([name, { data }]) => [name, data.root])),
    dependencies: Object.fromEntries(
      Object.entries(dependencies).map(([name, needed]) => [name, needed.map(({ target }) => target)]),
    ),
  };
};

const git = (checkout: string, ...args: string[]): string[] => {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8' });
  if (status !== 0)
    throw new SetupError(`git ${args[0]} failed, so what has changed is not known`, stderr.trim().split('\n'));
  return stdout.split('\0').filter(Boolean);
};

/** Files that differ from a revision, with new ones that Git does not ignore. */
export const changedSince = (checkout: string, revision: string): string[] => [
  ...git(checkout, 'diff', '--name-only', '--no-renames', '-z', '--end-of-options', revision, '--'),
  ...git(checkout, 'ls-files', '--others', '--exclude-standard', '-z'),
];
