// SPDX-License-Identifier: Apache-2.0
// `npm run lint`: Prettier's layout and ESLint's rules for every source of the repository. Results of unchanged files
// come from caches. `npm run format` writes the layout.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { checkout } from './setup.ts';

const FOLDERS = ['apps', 'libs', 'tests', 'tools', 'bench'];

/** Inputs of a file's result besides its content: the rules, and the tags and names of all projects. */
const RULES = [
  'eslint.config.mjs',
  'package-lock.json',
  ...FOLDERS.flatMap((folder) => [`${folder}/package.json`, `${folder}/*/package.json`]),
];

const rulesHash = (): string => {
  const hash = createHash('sha256');
  for (const path of globSync(RULES, { cwd: checkout }).sort())
    hash.update(`${path}\0`).update(readFileSync(join(checkout, path)));
  return hash.digest('hex').slice(0, 16);
};

/** Resolves with Prettier's list of files with a wrong layout, and '' where there is none. */
const checkLayout = (): Promise<string> => {
  const prettier = createRequire(import.meta.url).resolve('prettier/bin/prettier.cjs');
  const cache = [
    '--cache',
    '--cache-strategy',
    'content',
    '--cache-location',
    join(checkout, '.writ', 'cache', 'prettier'),
  ];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [prettier, '--check', '--log-level', 'warn', ...cache, '.'],
      { cwd: checkout },
      (error, stdout, stderr) => {
        resolve(error === null ? '' : `${stdout}${stderr}${error.code === 1 ? '' : error.message}\n`);
      },
    );
  });
};

const layout = checkLayout();
// The boundary rule reads Nx's project graph from disk, and reports nothing without it: this creates it, or throws.
await createProjectGraphAsync({ exitOnError: true });
const eslint = new ESLint({
  cwd: checkout,
  cache: true,
  cacheStrategy: 'content',
  cacheLocation: join(checkout, '.writ', 'cache', `eslint-${rulesHash()}`),
  errorOnUnmatchedPattern: true,
});
const results = await eslint.lintFiles(FOLDERS);
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(results));
const errors = results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
process.stdout.write(`${results.length} files, ${errors} problems\n`);
const unformatted = await layout;
process.stdout.write(unformatted);
process.exitCode = errors === 0 && unformatted === '' ? 0 : 1;
process.disconnect?.();
