// SPDX-License-Identifier: Apache-2.0
// What documents say that can be looked up: links, tests, variables.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Every document for people, relative to the checkout. */
export const documentPaths = (checkout: string): string[] =>
  ['*.md', '.changes/*.md', 'bench/*.md', 'docs/**/*.md', 'helm/**/*.md'].flatMap((pattern) => globSync(pattern, { cwd: checkout })).sort();

/** Relative links of a document that lead to no file. */
export function deadLinks(checkout: string, path: string): string[] {
  const text = readFileSync(join(checkout, path), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(checkout, dirname(path), target)));
}

/** `` `FILE.spec.ts`: "name", "name" ``, and the same of a suite that several adapters share */
const NAMED_TESTS = /`([^`\s]+\.(?:spec|contract)\.ts)`: ((?:"[^"]+"(?:, )?)+)/g;
/** The names in a table under `<!-- tests of: FILE.spec.ts -->`. */
const TABLES_OF_TESTS = /<!-- tests of: (\S+\.spec\.ts) -->\n\n((?:\|.*\n)+)/g;

/** Tests that a document names and that the file doesn't have. */
export function missingTests(checkout: string, path: string): string[] {
  const text = readFileSync(join(checkout, path), 'utf8');
  const named = [...text.matchAll(NAMED_TESTS), ...text.replaceAll(NAMED_TESTS, '').matchAll(TABLES_OF_TESTS)];
  return named.flatMap(([, file = '', names = '']) => {
    const spec = existsSync(join(checkout, file)) ? readFileSync(join(checkout, file), 'utf8').replaceAll('\\\'', '\'') : '';
    return [...names.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) => (spec.includes(name) ? [] : [`${file}: ${name}`]));
  });
}

/** Where variables of the environment are read or documented in code. */
const READERS = ['apps/*/src/config.env.ts', 'libs/nest-kit/src/common-environment.ts', 'tools/src/start/arguments.ts', 'tools/src/supervisor/services.ts'];

/** Names of variables that the code reads. */
export function variablesOf(checkout: string): string[] {
  const texts = READERS.flatMap((pattern) => globSync(pattern, { cwd: checkout })).map((path) => readFileSync(join(checkout, path), 'utf8'));
  const names = texts.flatMap((text) => text.match(/\b(?:WRIT|OTEL|DOCKER|OPENAI|ANTHROPIC|GEMINI)_[A-Z][A-Z_]*[A-Z]\b/g) ?? []);
  return [...new Set(names)].sort();
}
