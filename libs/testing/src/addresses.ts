// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository that this file is in: the first folder upwards with an nx.json. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'nx.json'))) {
    if (folder === dirname(folder)) throw new Error('the tests run outside of a repository');
    folder = dirname(folder);
  }
  return folder;
}

/**
 * Where a part that tests need is: from the environment, else from `.writ/test/env.json`, an object of environment
 * variables that `npm run parts` writes when it starts the parts. Throws where neither says.
 */
export function testAddress(variable: string): string {
  const given = process.env[variable];
  if (given) return given;
  const file = join(repositoryRoot(), '.writ', 'test', 'env.json');
  const written: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const value = (written as Record<string, unknown>)[variable];
  if (typeof value !== 'string')
    throw new Error(
      `\`${variable}\` is set neither in the environment nor in .writ/test/env.json: run \`npm run parts\``,
    );
  return value;
}
