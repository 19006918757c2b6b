// SPDX-License-Identifier: Apache-2.0
import { globSync } from 'node:fs';
import { checkout } from '../setup.ts';
import { sharedFiles, suiteFiles, suiteOf } from './suite-files.ts';

const ALL = globSync(
  ['apps/**/*.spec.ts', 'libs/**/*.spec.ts', 'tests/**/*.spec.ts', 'tools/**/*.spec.ts', 'bench/**/*.spec.ts'],
  { cwd: checkout, exclude: (name) => String(name).endsWith('node_modules') },
);
const filesOf = (suite: keyof typeof suiteFiles): string[] => globSync([...suiteFiles[suite]], { cwd: checkout });

test('every spec of the repository belongs to one suite', () => {
  const inSuites = (Object.keys(suiteFiles) as (keyof typeof suiteFiles)[]).flatMap(filesOf);
  expect(inSuites.toSorted()).toEqual(ALL.filter((file) => !file.includes('/dist/')).toSorted());
});

test.each(Object.keys(suiteFiles) as (keyof typeof suiteFiles)[])(
  'the path of each file of `%s` selects that suite',
  (suite) => {
    expect(filesOf(suite).filter((file) => suiteOf(file) !== suite)).toEqual([]);
  },
);

test('specs that share a stack are specs of the suite `e2e`', () => {
  expect(globSync([...sharedFiles], { cwd: checkout }).filter((file) => !filesOf('e2e').includes(file))).toEqual([]);
});
