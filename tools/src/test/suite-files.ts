// SPDX-License-Identifier: Apache-2.0

/** The suites of specs and where their files lie, relative to the checkout. */
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

/** Those specs of the suite `e2e` that share one stack. */
export const sharedFiles = ['tests/e2e/src/shared/**/*.spec.ts'] as const;

export type SuiteName = keyof typeof suiteFiles;

/**
 * The suite that a file belongs to, by its path relative to the checkout: specs of stacks by their folder, those of a
 * cluster by their name, and all others are unit specs.
 */
export const suiteOf = (file: string): SuiteName | undefined => {
  const folder = /^tests\/([^/]+)\//.exec(file)?.[1];
  if (folder === 'e2e' || folder === 'fault' || folder === 'adversarial' || folder === 'deploy') return folder;
  if (file.endsWith('.cluster.spec.ts')) return 'cluster';
  return file.endsWith('.spec.ts') ? 'unit' : undefined;
};
