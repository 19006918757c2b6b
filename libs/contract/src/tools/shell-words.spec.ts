// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { gitWords } from './git-command.ts';
import { shellQuoted, shellWords } from './shell-words.ts';

const PLAIN_CHARS = [...'abc \t\'"\\=:/.,-+^@%!#~{}_0'];

describe('the words of a command', () => {
  it('are those that were quoted', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0')),
          { minLength: 1 },
        ),
        (words) => {
          expect(shellWords(words.map(shellQuoted).join(' ')).words).toEqual(words);
        },
      ),
    );
  });

  it('are those of bash, or a problem is reported', () => {
    const texts = fc.sample(
      fc
        .array(fc.constantFrom(...PLAIN_CHARS, '$', '`', '*', ';', '\n'), { maxLength: 12 })
        .map((chars) => chars.join('')),
      { numRuns: 3000, seed: 7 },
    );
    const taken = texts.flatMap((text) => {
      const { words } = shellWords(text);
      return words === null ? [] : [{ text, words }];
    });
    // Each text is in its own bash function; words end with \1 and texts with \2.
    const script = taken.map(({ text }) => `printf '%s\\1' x ${text}\nprintf '\\2'`).join('\n');
    const said = execFileSync('/bin/bash', ['--norc', '-s'], {
      input: script,
      encoding: 'utf8',
      env: { HOME: '/home/other' },
    })
      .split('\u0002')
      .slice(0, -1);
    expect(said.map((each) => each.split('\u0001').slice(1, -1))).toEqual(taken.map(({ words }) => words));
    expect(taken.length).toBeGreaterThan(300);
  });

  it.each([
    'a; b',
    'a | b',
    'a && b',
    'a > b',
    'a < b',
    '$(a)',
    '`a`',
    '"$a"',
    '"`a`"',
    '$a',
    'a*',
    'a?',
    '[a]',
    '~',
    'x ~/y',
    '# a',
    '{a,b}',
    'a\nb',
    "'a",
    '"a',
    'a\\',
    '(a)',
    'x=~',
  ])('%j is no list of words', (text) => {
    expect(shellWords(text)).toEqual({ words: null, problem: expect.any(String) });
  });

  it('are found in linear time', () => {
    expect(shellWords("'a' ".repeat(200_000)).words).toHaveLength(200_000);
    expect(shellWords(`"${'\\"'.repeat(200_000)}"`).words).toEqual(['"'.repeat(200_000)]);
  });
});

describe('a command of git', () => {
  it.each([
    ['status', ['status']],
    ['git log -n 3 -- "a b"', ['log', '-n', '3', '--', 'a b']],
    ["commit -m 'it'\\''s $HOME'", ['commit', '-m', "it's $HOME"]],
    ['reset --hard HEAD~1', ['reset', '--hard', 'HEAD~1']],
    ['checkout -- --exec', ['checkout', '--', '--exec']],
    ['push -u origin feature/x', ['push', '-u', 'origin', 'feature/x']],
  ])('%j', (command, words) => {
    expect(gitWords(command).words).toEqual(words);
  });

  it.each([
    '',
    'git',
    '-c core.pager=x log',
    '--exec-path=/x status',
    '-C .. status',
    'frobnicate',
    'config alias.x !sh',
    'submodule foreach sh',
    'bisect run sh',
    'filter-branch',
    'difftool',
    'rebase -x sh HEAD~1',
    'rebase --exec=sh HEAD~1',
    'rebase --ex sh HEAD~1',
    'fetch --upload-pack=sh',
    'fetch --upload-p sh',
    'clone -u sh x',
    'clone -c core.fsmonitor=x y',
    'clone --conf x y',
    'grep -Osh x',
    'grep --open-files sh',
    'push --receive-pack=sh',
    'archive --remote=x --exec=sh HEAD',
    'init --template=x',
    'commit -S',
    'log; id',
    'log | sh',
    'log "$(id)"',
  ])('%j is none that is started', (command) => {
    expect(gitWords(command)).toEqual({ words: null, problem: expect.any(String) });
  });
});
