// SPDX-License-Identifier: Apache-2.0
import type { Command } from 'commander';
import { GROUPS } from './command-groups.ts';
import { writ } from './specs/run-cli.ts';

test('help exits with 0, and lists every command', async () => {
  const { exit, out } = await writ(['--help']);
  expect(exit).toBe(0);
  for (const name of [
    'call',
    'operations',
    'approvals',
    'events',
    'webhooks',
    'receipt',
    'verify',
    'workspace',
    'token',
    'agents',
    'keys',
    'tenant',
    'tools',
  ])
    expect(out).toContain(`  ${name} `);
});

test.each([
  ['tool', 'tools'],
  ['operation', 'operations'],
  ['approval', 'approvals'],
  ['event', 'events'],
  ['webhook', 'webhooks'],
  ['record', 'records'],
  ['agent', 'agents'],
  ['key', 'keys'],
  ['signing-key', 'signing-keys'],
])('%s is another name of %s', async (singular, plural) => {
  const { exit, out } = await writ([singular, '--help']);
  expect(exit).toBe(0);
  expect(out).toContain(`writ ${plural}|${singular}`);
});

test.each([[['images', '--help']], [['help', 'images']], [['--json', 'images', '-h']]])(
  'the help of a command that does not exist is a usage error with a suggestion: %j',
  async (args) => {
    const { exit, out, err } = await writ(args);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err).toBe("error usage: unknown command 'images'\n(Did you mean image?)\n");
  },
);

test('help of a subcommand that does not exist is a usage error', async () => {
  expect(await writ(['operations', 'shwo', '--help'])).toMatchObject({
    exit: 2,
    err: "error usage: unknown command 'shwo'\n(Did you mean show?)\n",
  });
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
