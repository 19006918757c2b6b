// SPDX-License-Identifier: Apache-2.0
// Programs in plain JavaScript import built files, which the type check doesn't see. A move would break them silently:
// benchmarks and fault tests that nobody runs for days.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkout } from './setup.ts';

const programs = execFileSync('git', ['-C', checkout, 'ls-files', '*.mjs'], { encoding: 'utf8' }).trim().split('\n');

const importsOf = (program: string): string[] =>
  [...readFileSync(join(checkout, program), 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );

/** The source that an import leads to: for a built file the one that it is made of, so that no build is needed. */
const sourceOf = (program: string, specifier: string): string =>
  join(checkout, dirname(program), specifier).replace(/\/dist\/(.*)\.js$/, '/src/$1.ts');

test('programs that import built files are among those checked', () => {
  expect(programs.filter((program) => importsOf(program).some((one) => one.includes('/dist/'))).length).toBeGreaterThan(
    3,
  );
});

test.each(programs)('%s imports only files that exist', (program) => {
  expect(importsOf(program).filter((specifier) => !existsSync(sourceOf(program, specifier)))).toEqual([]);
});
