// SPDX-License-Identifier: Apache-2.0

/** The suites of specs and the paths of their files, relative to the checkout. */
export const suiteFiles = {
  unit: [
    '{apps,libs}/*/src/**/!(*.cluster).spec.ts',
    'tools/src/**/!(*.cluster).spec.ts',
    'tests/corpus/src/**/*.spec.ts',
  ],
  e2e: ['tests/e2e/src/**/*.spec.ts'],
  fault: ['tests/fault/src/**/*.spec.ts'],
  adversarial: ['tests/adversarial/src/**/*.spec.ts'],
  deploy: ['tests/deploy/src/**/*.spec.ts'],
  cluster: ['{libs/*,tools}/src/**/*.cluster.spec.ts'],
} as const;

/** The specs of the suite `e2e` that share one stack. */
export const sharedFiles = ['tests/e2e/src/shared/**/*.spec.ts'] as const;

export type SuiteName = keyof typeof suiteFiles;

/**
 * The suite of a file, by its path relative to the checkout: stack specs by their folder, cluster specs by their name,
 * and all others are unit specs.
 */
export const suiteOf = (file: string): SuiteName | undefined => {
  const folder = /^tests\/([^/]+)\//.exec(file)?.[1];
  if (folder === 'e2e' || folder === 'fault' || folder === 'adversarial' || folder === 'deploy') return folder;
  if (file.endsWith('.cluster.spec.ts')) return 'cluster';
  return file.endsWith('.spec.ts') ? 'unit' : undefined;
};
