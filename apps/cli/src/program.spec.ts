// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { VERSION } from '@writ/nest-kit/version';
import { GROUPS } from './command-groups.ts';
import { writ } from './specs/run-cli.ts';

test('help exits with 0, and lists every command by its name alone', async () => {
  const { exit, out } = await writ(['--help']);
  expect(exit).toBe(0);
  for (const { name, plural, hidden } of GROUPS) {
    expect([name, out.includes(`\n  ${name} `)]).toEqual([name, hidden !== true]);
    if (plural !== undefined) expect(out).not.toMatch(new RegExp(`${name}\\|${plural}`));
  }
});

test.each([['--version'], ['-V']])('%s prints the version of this release', async (option) => {
  expect(await writ([option])).toEqual({ exit: 0, out: `${VERSION}\n`, err: '' });
});

test.each([[['imagez', '--help']], [['help', 'imagez']], [['--json', 'imagez', '-h']]])(
  'the help of a command that does not exist is a usage error with a suggestion: %j',
  async (args) => {
    const { exit, out, err } = await writ(args);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err).toBe("error usage: unknown command 'imagez'\n(Did you mean one of image, images?)\n");
  },
);

test('help of a subcommand that does not exist is a usage error', async () => {
  for (const args of [
    ['operation', 'gte', '--help'],
    ['operation', 'gte'],
    ['operations', 'gte', '--limit', '3'],
  ])
    expect(await writ(args)).toEqual({
      exit: 2,
      out: '',
      err: "error usage: unknown command 'gte'\n(Did you mean get?)\n",
    });
  expect((await writ(['operation', 'list', 'gte'])).err).toContain('too many arguments');
  expect((await writ(['operations', 'show', '--help'])).exit).toBe(0);
  expect((await writ(['help', 'operations'])).exit).toBe(0);
});

test.each([
  ['nonsense'],
  ['tools', '--bogus'],
  ['operations', 'bogus'],
  ['call'],
  ['verify', 'x'],
  ['receipt'],
  ['operations', '--limit', 'ten'],
  ['approvals', 'approve'],
])('%s %s is a usage error: status 2, one line on stderr, nothing on stdout', async (...args) => {
  const { exit, out, err } = await writ(args.filter((arg) => arg !== undefined));
  expect(exit).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(/^error usage: .+\n$/);
});

test('each command that removes something is `delete`, and `rm` and `remove` are other names of it', async () => {
  const removals: [string, string, readonly string[]][] = [];
  const look = (path: string, command: Command): void => {
    for (const each of command.commands as Command[]) {
      const names = [each.name(), ...each.aliases()];
      if (names.some((name) => ['delete', 'remove', 'rm'].includes(name)))
        removals.push([path, each.name(), [...each.aliases()].sort()]);
      look(`${path} ${each.name()}`, each);
    }
  };
  for (const { name, load } of GROUPS) look(name, (await load())({} as never));
  expect(removals.length).toBeGreaterThan(10);
  expect(removals).toEqual(removals.map(([path]) => [path, 'delete', ['remove', 'rm']]));
});
