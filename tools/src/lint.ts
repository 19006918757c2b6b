// SPDX-License-Identifier: Apache-2.0
// `npm run lint`: ESLint over every source of the repository, in one process. Files that have not changed come from its cache.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { checkout } from './setup.ts';

const FOLDERS = ['apps', 'libs', 'tests', 'tools', 'bench'];

/** What decides about a file besides its own content: the rules, and the tags and names of all projects. */
const RULES = ['eslint.config.mjs', 'package-lock.json', ...FOLDERS.flatMap((folder) => [`${folder}/package.json`, `${folder}/*/package.json`])];

const rulesHash = (): string => {
  const hash = createHash('sha256');
  for (const path of globSync(RULES, { cwd: checkout }).sort()) hash.update(`${path}\0`).update(readFileSync(join(checkout, path)));
  return hash.digest('hex').slice(0, 16);
};

// The boundary rule reads Nx's project graph from disk and says nothing where there is none: this makes it, or throws.
await createProjectGraphAsync({ exitOnError: true });
const eslint = new ESLint({
  cwd: checkout, cache: true, cacheStrategy: 'content', cacheLocation: join(checkout, '.writ', 'cache', `eslint-${rulesHash()}`), errorOnUnmatchedPattern: true,
});
const results = await eslint.lintFiles(FOLDERS);
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(results));
const errors = results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
process.stdout.write(`${results.length} files, ${errors} problems\n`);
process.exitCode = errors === 0 ? 0 : 1;
process.disconnect?.();
