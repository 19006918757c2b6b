// SPDX-License-Identifier: Apache-2.0
import { isRegenerableName } from '@writ/effect';

/**
 * Directories with regenerable content, in addition to those that effects don't count (`isRegenerableName`). Only their
 * owner knows whether the content matters: a command that names one does so on purpose, and the effect counts the
 * deletions there.
 */
const DIRECTORIES = new Set([
  'out',
  'output',
  'artifacts',
  '.cache',
  '.eslintcache',
  '.fleet',
  'junit',
  '.dub',
  '.lsp',
  '.clj-kondo',
  '.deps',
  '.libs',
  'cache',
  'caches',
  'tmp',
  'temp',
  '.tmp',
  '.temp',
  'log',
  'logs',
]);
/** The same for directories that count only below another. */
const BELOW =
  /(?:^|\/)(?:vendor\/bundle|storage\/framework|bootstrap\/cache|docs\/_site|public\/(?:build|assets|packs)|static\/build|android\/app\/build|ios\/build)(?:\/|$)/;
const FILES = new Set([
  '.DS_Store',
  'Thumbs.db',
  '.coverage',
  'a.out',
  'core',
  '.eslintcache',
  'nohup.out',
  'npm-debug.log',
  'CMakeCache.txt',
  '.stylelintcache',
]);
const SUFFIXES = [
  '.log',
  '.tmp',
  '.temp',
  '.cache',
  '.pyc',
  '.pyo',
  '.pyd',
  '.o',
  '.obj',
  '.a',
  '.so',
  '.dylib',
  '.class',
  '.swp',
  '.swo',
  '.orig',
  '.rej',
  '.bak',
  '.old',
  '~',
  '.pid',
  '.tsbuildinfo',
  '.gcda',
  '.gcno',
  '.gcov',
  '.egg-info',
  '.dSYM',
  '.hi',
  '.beam',
  '.elc',
  '.aux',
  '.toc',
  '.crdownload',
  '.part',
  '.prof',
  '.stackdump',
  '.core',
  '.hprof',
  '.trace',
];

/** The names that match a pattern with a short list of characters: `*.py[co]` is `*.pyc` and `*.pyo`. */
function spellings(name: string): readonly string[] {
  const [list, letters = ''] = /\[([A-Za-z0-9]{1,4})\]/.exec(name) ?? [];
  // One list is usual; with more, the pattern stays unchanged.
  if (list === undefined || name.indexOf('[') !== name.lastIndexOf('[')) return [name];
  return [...letters].map((letter) => name.replace(list, letter));
}

/**
 * Answers whether a path is regenerable output, by its own name or that of a directory above it. Patterns count by
 * their end.
 */
export function isRegenerable(segments: readonly string[]): boolean {
  if (
    segments.some((segment) => isRegenerableName(segment) || DIRECTORIES.has(segment)) ||
    BELOW.test(segments.join('/'))
  )
    return true;
  return spellings(segments.at(-1) ?? '').every(isFileMadeAgain);
}

function isFileMadeAgain(last: string): boolean {
  return (
    FILES.has(last) ||
    SUFFIXES.some((suffix) => last.length > suffix.length - 1 && last.endsWith(suffix)) ||
    last.startsWith('npm-debug.log')
  );
}
