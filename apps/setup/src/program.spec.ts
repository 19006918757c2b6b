// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServerConfig } from '@writ/bus-nats';
import { runSetup } from './program.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-program-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number; out: string[]; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runSetup(args, {
    env,
    print: (line) => out.push(line),
    printError: (line) => err.push(line),
    renderNatsConfig: natsServerConfig,
  });
  return { status, out, err: err.join('\n') };
}

describe('the set-up program', () => {
  it('names every missing variable and where to set it', async () => {
    const { status, err } = await run(['migrate']);
    expect(status).toBe(1);
    for (const variable of ['WRIT_ADMIN_DATABASE_URL', 'WRIT_ROLE_PASSWORDS_DIR'])
      expect(err).toContain(`${variable} is not set: `);
    expect(err).toContain('set it in the environment of the setup container');
  });

  it('names every missing or wrong password file, without contents', async () => {
    writeFileSync(join(dir, 'writ_kernel'), 'short');
    const { status, err } = await run(['migrate'], {
      WRIT_ADMIN_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/writ',
      WRIT_ROLE_PASSWORDS_DIR: dir,
    });
    expect(status).toBe(1);
    expect(err).toContain(`\`${join(dir, 'writ_kernel')}\` is not 16 to 128 of`);
    expect(err).toContain(`\`${join(dir, 'writ_ledger')}\` can't be read (ENOENT)`);
    expect(err).not.toContain('short');
  });

  it.each([
    [['keys'], 'give either `--out` or `--kubernetes`'],
    [['keys', '--out', 'x', '--kubernetes'], 'give either `--out` or `--kubernetes`'],
    [['keys', '--kubernetes'], '`--kubernetes` needs `--prefix`'],
    [['keys', '--kubernetes', '--prefix', 'Not_A_Name'], '--prefix'],
    [['nats-config'], '--keys'],
    [['signing-keys', 'list', '--prefix', 'r'], '`--kubernetes` works in a pod with a service account only'],
    [['destroy'], 'destroy'],
  ])('refuses `%s`', async (args, message) => {
    const { status, err } = await run(args);
    expect([status, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it('makes keys once, and its last line reports that', async () => {
    const out = join(dir, 'keys');
    expect((await run(['keys', '--out', out, '--nats-host', 'nats'])).out.at(-1)).toBe(
      'setup keys: 10 of 10 key sets were made',
    );
    expect((await run(['keys', '--out', out, '--nats-host', 'nats'])).out).toEqual([
      'setup keys: all keys are there: nothing was made',
    ]);
  });

  it('lists its commands with --help', async () => {
    const { status, out } = await run(['--help']);
    expect([status, out.join('\n')]).toEqual([0, expect.stringMatching(/migrate[^]*keys[^]*nats-config/)]);
  });
});
