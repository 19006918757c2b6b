// SPDX-License-Identifier: Apache-2.0

/** The suites of specs and the paths of their files, relative to the checkout. */
export const suiteFiles = {
  unit: [
    '{apps,libs}/*/src/**/!(*.cluster|*.chart|*.long|*.timing).spec.ts',
    'tools/src/**/!(*.cluster|*.chart|*.long|*.timing).spec.ts',
    'tests/corpus/src/**/*.spec.ts',
  ],
  timing: ['{apps,libs}/*/src/**/*.timing.spec.ts'],
  e2e: ['tests/e2e/src/**/!(*.long|*.browser).spec.ts'],
  console: ['tests/e2e/src/console/*.browser.spec.ts'],
  fault: ['tests/fault/src/**/!(*.long).spec.ts'],
  adversarial: ['tests/adversarial/src/**/!(*.long).spec.ts'],
  'api-fuzz': ['tests/fuzz-api/src/**/!(*.long).spec.ts'],
  long: ['{apps,libs}/*/src/**/*.long.spec.ts', '{tests/*,tools}/src/**/*.long.spec.ts'],
  chart: ['tools/src/**/*.chart.spec.ts'],
  deploy: ['tests/deploy/src/**/*.spec.ts'],
  cluster: ['{apps/*,libs/*,tools}/src/**/*.cluster.spec.ts'],
} as const;

/** The specs of the suite `e2e` that share one stack. */
export const sharedFiles = ['tests/e2e/src/shared/**/!(*.long).spec.ts'] as const;

/** Those of the suite `long`. */
export const sharedLongFiles = ['tests/e2e/src/shared/**/*.long.spec.ts'] as const;

export type SuiteName = keyof typeof suiteFiles;

/**
 * The suite of a file, by its path relative to the checkout: long specs, those that measure times and those of the
 * chart and the cluster by their name, stack specs by their folder, and all others are unit specs.
 */
export const suiteOf = (file: string): SuiteName | undefined => {
  if (file.endsWith('.long.spec.ts')) return 'long';
  if (file.endsWith('.browser.spec.ts')) return 'console';
  const folder = /^tests\/([^/]+)\//.exec(file)?.[1];
  if (folder === 'e2e' || folder === 'fault' || folder === 'adversarial' || folder === 'deploy') return folder;
  if (folder === 'fuzz-api') return 'api-fuzz';
  if (file.endsWith('.cluster.spec.ts')) return 'cluster';
  if (file.endsWith('.timing.spec.ts')) return 'timing';
  if (file.endsWith('.chart.spec.ts')) return 'chart';
  return file.endsWith('.spec.ts') ? 'unit' : undefined;
};
