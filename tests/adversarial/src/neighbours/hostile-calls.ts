// SPDX-License-Identifier: Apache-2.0
// Expensive tool calls. Each once blocked a process, or is of the kind of one that did.
import { fill, type HostileInput } from './hostile-input.ts';

/** Largest command. */
const COMMAND = 64 * 1024;

const call = (name: string, toolId: string, args: object): HostileInput => ({
  name,
  send: (tenant) => tenant.call(toolId, args),
});
const search = (name: string, pattern: string, path = 'a.txt'): HostileInput =>
  call(`search: ${name}`, 'fs.search', { pattern, path, regex: true });
const command = (name: string, text: string): HostileInput =>
  call(`command: ${name}`, 'shell.run', { command: text, timeout_ms: 2_000 });

const SEARCHES = [
  search('a thousand optional letters before a thousand letters', '(?:a?){1000}a{1000}'),
  search('repeated repetitions', '(?:(?:a{0,30}){0,30})b'),
  search('unanchored wildcards', '.*.*.*.*.*.*b'),
  search('a class of every script', '(?i)(?:\\p{L}\\p{N}?){1,40}!'),
  search('a thousand optional letters, in many lines', '(?:a?){500}a{500}b', 'lines.txt'),
];

const COMMANDS = [
  command('here-documents, one after another', fill('cat <<E;', COMMAND)),
  command('here-documents in a pipe', fill('cat <<E|', COMMAND)),
  command('here-documents on lines of their own', fill('cat <<E\n', COMMAND)),
  command('arguments that double', `set -- a b c;${'set -- "$@" "$@";'.repeat(100)}rm "$@"`),
  command('braces that multiply', `echo ${fill('{a,b}', COMMAND - 8)}`),
  command('braces of a long sequence', `echo ${fill('{1..9999}', 1_000)}`),
  command('nested substitutions', `echo ${'$('.repeat(8_000)}${')'.repeat(8_000)}`),
  command('nested substitutions without an end', fill('$(', COMMAND)),
  command('back quotes', fill('`', COMMAND)),
  command('nested groups', `${'{ '.repeat(10_000)}:${';}'.repeat(10_000)}`),
  command('nested subshells without an end', fill('(', COMMAND)),
  command('nested conditions', `${fill('if :; then ', COMMAND / 2)}`),
  command('nested loops', fill('while :; do ', COMMAND)),
  command(
    'functions that call one another',
    `${Array.from({ length: 2_000 }, (_, n) => `f${n}(){ f${n + 1}; f${n + 1}; };`).join('')}f0`,
  ),
  command('a pipe of many programs', fill('cat|', COMMAND)),
  command('lists of conditions', fill('a&&b||', COMMAND)),
  command('assignments that double', `x=a;${'x=$x$x;'.repeat(60)}rm $x`),
  command('arrays that double', `a=(x y);${'a=("${a[@]}" "${a[@]}");'.repeat(60)}rm "\${a[@]}"`),
  command('replacements in expansions', `x=${fill('a', 30_000)};${fill('y=${x//a/aa};', 30_000)}`),
  command('nested expansions', `echo ${'${a:-'.repeat(8_000)}${'}'.repeat(8_000)}`),
  command('nested arithmetic', `echo $((${'('.repeat(15_000)}1${')'.repeat(15_000)}))`),
  command('patterns of a case', `case x in ${fill('a|', COMMAND - 64)}b) :;; esac`),
  command('extended patterns', `ls ${fill('@(a|', 30_000)}b${fill(')', 30_000)}`),
  command('redirections', fill('>f ', COMMAND)),
  command('quotes without an end', fill('"$(\'', COMMAND)),
  command('escapes', fill('\\', COMMAND)),
  command('words', fill('a ', COMMAND)),
  command('aliases of secrets', fill('${secret:A}', COMMAND)),
  command('here-strings', fill('cat <<<a;', COMMAND)),
  command('comments', fill('#\n', COMMAND)),
  command('a call of a shell within a call of a shell', `${"bash -c '".repeat(200)}`),
  command('evaluated text', `x='eval "$x$x"'; eval "$x"`),
];

const A_TO_B_AND_BACK = Array.from({ length: 16 }, (_, n) =>
  n % 2 === 0 ? { find: 'a', replace: 'b', count: 'all' } : { find: 'b', replace: 'a', count: 'all' },
);

const B15 = 'b'.repeat(15);

const EDITS = [
  call('edit: every letter, sixteen times, over 8 MB', 'fs.edit', { path: 'ab.txt', edits: A_TO_B_AND_BACK }),
  call('edit: one find that is everywhere, of which one was meant', 'fs.edit', {
    path: 'ab.txt',
    edits: [{ find: 'aa', replace: 'b' }],
  }),
  call('edit: a find that is nowhere, and nearly everywhere', 'fs.edit', {
    path: 'a.txt',
    edits: [{ find: `${fill('a', 100_000)}b`, replace: '' }],
  }),
  call('edit: growth to the largest size, and back', 'fs.edit', {
    path: 'a.txt',
    edits: [
      { find: 'a', replace: B15, count: 'all' },
      { find: B15, replace: 'a', count: 'all' },
    ],
  }),
  call('edit: many files, one after another', 'fs.edit_files', {
    files: Array.from({ length: 8 }, () => ({ path: 'ab.txt', edits: A_TO_B_AND_BACK.slice(0, 2) })),
  }),
];

const DELTAS: readonly HostileInput[] = [
  { name: 'delta: 20,000 files of a command', send: (tenant) => tenant.call('shell.run', { command: 'bash many.sh' }) },
  {
    name: 'delta: 20,000 files taken away and restored',
    send: async ({ world, many }, round) =>
      await world.admin.post(`/v1/workspaces/${many.workspaceId}/restore`, {
        at: round % 2 === 0 ? many.from : many.to,
      }),
  },
];

/** Calls on the files that the deltas created. */
const TREES = [
  call('tree: a list of 20,000 files', 'fs.list', { path: '', depth: 64 }),
  call('tree: a search in 20,000 files', 'fs.search', { pattern: 'nowhere', path: 'many' }),
];

/** The order matters: later inputs work on the files of earlier ones. */
export const HOSTILE_CALLS: readonly HostileInput[] = [...SEARCHES, ...COMMANDS, ...EDITS, ...DELTAS, ...TREES];
