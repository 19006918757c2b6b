// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the repository that contains this file: the first folder upwards with an nx.json. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'nx.json'))) {
    if (folder === dirname(folder)) throw new Error('the tests run outside of a repository');
    folder = dirname(folder);
  }
  return folder;
}

/**
 * The address of a dependency of the tests. It comes from the environment, else from `.writ/test/env.json`, an object
 * of environment variables that `npm run parts` writes when it starts the dependencies. Throws where neither has it.
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
