// SPDX-License-Identifier: Apache-2.0
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
