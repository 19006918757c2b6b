// SPDX-License-Identifier: Apache-2.0
// Git itself is the reference for the content of a configuration. The reader must find every variable that git reads,
// and need not be more precise.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { entriesOf } from './git-config-text.ts';
import { programsIn } from './git-config.ts';

/**
 * Parts whose meaning depends on their position: comments, quotes, escapes, continued lines, headers, ends of lines.
 */
const PARTS = [
  '[core]',
  '[CORE]',
  '[filter "a"]',
  '[filter "a]b"]',
  '[filter "a\\"b"]',
  '[filter "a\\\\"]',
  '[url "x=y"]',
  '[core.sub]',
  '[alias]',
  '[include]',
  '[core ]',
  '[core\t"x"]',
  '[ core]',
  '[]',
  '[',
  ']',
  '"',
  '\\',
  '\\\\',
  '\\"',
  '\\n',
  '\\\n',
  '\\\r\n',
  '\\x',
  ';',
  '#',
  '; see docs \\\n',
  '# note \\\n',
  '=',
  ' = ',
  ' ',
  '\t',
  '\n',
  '\n\t',
  '\r',
  '\r\n',
  '\v',
  '\f',
  '\0',
  '\u00ef\u00bb\u00bf',
  '\u00e9',
  'hooksPath',
  'fsmonitor',
  'FSMonitor',
  'pager',
  'clean',
  'path',
  'insteadOf',
  'autocrlf',
  'a',
  'b-1',
  '2',
  '!x',
  'true',
  '.',
  '-',
  '_',
];
const LINES = [
  '[core]\n',
  '[core] pager = x\n',
  '[filter "a"]\n',
  '[Filter "B \\" c"] clean = "x # y" ; z\n',
  '\thooksPath = tools/h\n',
  '\tfsmonitor = a \\\n b\n',
  'sshCommand=x\r\n',
  '\tautocrlf = false ; x \\\n',
  '\tnote = a\\\\\n',
  '\tnote = "a ; b \\\n',
  '\tnote = "a\\"" # \\\n',
  '; see docs \\\n',
  '# \\\r\n',
  'bare\n',
  '\teditor\n',
  'x = a \\\\\\\n',
];
const text = fc
  .oneof(
    fc.array(fc.constantFrom(...LINES), { maxLength: 8 }),
    fc.array(fc.oneof(fc.constantFrom(...LINES), fc.constantFrom(...PARTS)), { maxLength: 12 }),
  )
  .map((parts) => parts.join(''));

interface Listed {
  readonly entries: readonly string[];
  readonly isReadable: boolean;
}

/** The variables that git lists, up to where it stops. Each is `key` or `key\nvalue`. */
function listedByGit(config: string): Listed {
  const { stdout, status } = spawnSync('git', ['config', '-f', '-', '--list', '-z'], {
    input: Buffer.from(config, 'latin1'),
  });
  return { entries: stdout.toString('latin1').split('\0').slice(0, -1).map(spaced), isReadable: status === 0 };
}

/** Versions of git treat space within a value differently. */
const spaced = (entry: string): string => entry.replaceAll('\t', ' ');

const hasGit = spawnSync('git', ['--version']).status === 0;
/** More runs are possible by the variable: each run starts git. */
const RUNS = Number(process.env['WRIT_GIT_CONFIG_RUNS'] ?? 300);

describe.skipIf(!hasGit)("the reader of git's configuration", () => {
  it(
    'reads the same variables as git, and stops where git stops',
    () => {
      fc.assert(
        fc.property(text, (config) => {
          const read = entriesOf(config);
          const ours = read
            .flatMap((each) => (each.kind === 'entry' ? [each] : []))
            .map(({ section, subsection, name, value }) =>
              spaced(
                [section, ...(subsection === null ? [] : [subsection]), name].join('.') +
                  (value === null ? '' : `\n${value}`),
              ),
            );
          const { entries, isReadable } = listedByGit(config);
          if (ours.length === read.length) expect({ entries, isReadable }).toEqual({ entries: ours, isReadable: true });
          else expect(entries.slice(0, ours.length)).toEqual(ours);
          // Git continues where a variable precedes any section, and ends strings at a zero byte. Here both count as
          // unreadable.
          if (isReadable && ours.length < read.length)
            expect(config.includes('\0') || entries.some((entry) => !(entry.split('\n')[0] ?? '').includes('.'))).toBe(
              true,
            );
        }),
        { numRuns: RUNS },
      );
    },
    60_000 + RUNS * 50,
  );

  it.each([
    ['a comment that ends in a backslash', '[core]\n\t; see docs \\\n\thooksPath = tools/h\n'],
    ['another comment that ends in a backslash', '[core]\n\t# note \\\n\tsshCommand = ./x\n'],
    ['a comment after a value', '[core]\n\tautocrlf = false ; x \\\n\tpager = ./x\n'],
    ['an escaped backslash', '[a]\n\tnote = a\\\\\n[core]\n\tfsmonitor = ./x\n'],
    ['a quoted mark of a comment', '[a]\n\tnote = "; \\\n"\n[core] fsmonitor = ./x\n'],
    ['a mark of UTF-8', '\u00ef\u00bb\u00bf[core]\n\tfsmonitor = ./x\n'],
    ['a name in capitals', '[CoRe]\n\tFSMONITOR=./x'],
    ['an instruction of a rebase', '[rebase]\n\tinstructionFormat = %s%nexec ./x\n'],
    ['a key of signatures', '[gpg "ssh"]\n\tdefaultKeyCommand = ./x\n'],
    ['an alias with options of its own', '[alias]\n\tst = --exec-path=tools status\n'],
    ['an alias that fetches with a program', '[alias]\n\tf = fetch --upload-pac=./x\n'],
  ])('finds the program after %s', (_, config) => {
    expect(listedByGit(config).isReadable).toBe(true);
    expect(programsIn(config).size).toBe(1);
  });

  it('distinguishes programs of different subsections', () => {
    const of = (name: string): readonly string[] => [
      ...programsIn(`[url "${name}"]\n\tinsteadOf = https://example.org/\n`),
    ];
    expect(of('https://a.example/')).not.toEqual(of('https://b.example/'));
  });

  it('finds no program in settings that start none', () => {
    expect([
      ...programsIn(
        '[core]\n\tbare = false # \\\n; x\n[alias]\n\tco = checkout\n\tpf = push --force-with-lease\n[remote "o"]\n\turl = "a;b"\n',
      ),
    ]).toEqual([]);
  });
});
