// SPDX-License-Identifier: Apache-2.0
import { shellWords, type ShellWords } from './shell-words.ts';

/**
 * Operations of git itself: an alias of a repository can't replace one, and none of them accepts settings or is meant
 * to run commands.
 */
const OPERATIONS: ReadonlySet<string> = new Set([
  'add',
  'am',
  'apply',
  'archive',
  'blame',
  'branch',
  'bundle',
  'cat-file',
  'check-ignore',
  'checkout',
  'cherry',
  'cherry-pick',
  'clean',
  'clone',
  'commit',
  'count-objects',
  'describe',
  'diff',
  'diff-tree',
  'fetch',
  'for-each-ref',
  'format-patch',
  'fsck',
  'gc',
  'grep',
  'init',
  'log',
  'ls-files',
  'ls-remote',
  'ls-tree',
  'merge',
  'merge-base',
  'mv',
  'notes',
  'prune',
  'pull',
  'push',
  'range-diff',
  'rebase',
  'reflog',
  'remote',
  'reset',
  'restore',
  'rev-list',
  'rev-parse',
  'revert',
  'rm',
  'shortlog',
  'show',
  'show-ref',
  'stash',
  'status',
  'switch',
  'symbolic-ref',
  'tag',
  'update-index',
  'update-ref',
  'worktree',
]);
/** Options that name a program, or run one. Git accepts any prefix of a long option. */
const PROGRAM_OPTIONS = [
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--ext-diff',
  '--textconv',
  '--open-files-in-pager',
  '--gpg-sign',
  '--template',
  '--config',
  '--separate-git-dir',
] as const;
/** The same as single letters, by operation. */
const PROGRAM_LETTERS: Readonly<Record<string, string>> = {
  rebase: 'xiS',
  grep: 'O',
  clone: 'uc',
  commit: 'S',
  merge: 'S',
  tag: 'su',
  revert: 'S',
  'cherry-pick': 'S',
  am: 'Si',
  pull: 'S',
};

/**
 * The words after `git`, with an operation first, or why git isn't started with them. `git` itself may precede them.
 */
export function gitWords(command: string): ShellWords {
  const { words, problem } = shellWords(command);
  if (problem !== null) return { words: null, problem };
  const [operation, ...rest] = words[0] === 'git' ? words.slice(1) : words;
  if (operation === undefined) return no('it names no operation of git');
  if (operation.startsWith('-')) return no(`git takes no options before its operation here: \`${shown(operation)}\``);
  if (!OPERATIONS.has(operation))
    return no(
      `\`git ${shown(operation)}\` is none of the operations that are run without a shell: ${[...OPERATIONS].join(', ')}`,
    );
  const starts = optionsOf(rest).find((word) => startsProgram(operation, word));
  return starts === undefined
    ? { words: [operation, ...rest], problem: null }
    : no(`\`${shown(starts)}\` would have git start a program`);
}

const no = (problem: string): ShellWords => ({ words: null, problem });
const shown = (word: string): string => word.slice(0, 64);

/** The words that git may read as options: those before `--`. */
function optionsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return (end === -1 ? words : words.slice(0, end)).filter((word) => word.startsWith('-'));
}

function startsProgram(operation: string, word: string): boolean {
  if (!word.startsWith('--')) return [...(PROGRAM_LETTERS[operation] ?? '')].some((letter) => word.includes(letter, 1));
  const [name = ''] = word.split('=');
  return name.length > 2 && PROGRAM_OPTIONS.some((option) => option.startsWith(name));
}
