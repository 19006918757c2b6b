// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { identify, type Identity } from '../process/identity.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

/** Searched after PATH: a non-login root shell often lacks the system directories. */
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * Debian's packages start their service when installed, unless this forbids it (101, by the interface of policy-rc.d).
 * Our services are child processes.
 */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * It applies only while the process that wrote it runs, and then deletes itself: a killed set-up must not block the
 * machine's services for ever.
 */
export const policy = (who: Identity | undefined): string => `#!/bin/sh
# No service is started while process ${who?.pid} installs packages.
test "$(cut -d ' ' -f 22 /proc/${who?.pid}/stat 2> /dev/null)" = '${who?.started}' && exit 101
rm -f -- "$0"
exit 0
`;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The path of a program, or undefined. */
export const findProgram = (env: Setup['env'], name: string): string | undefined =>
  [...(env['PATH'] ?? '').split(':').filter(Boolean), ...SYSTEM_DIRECTORIES]
    .map((dir) => join(dir, name))
    .find(isExecutable);

/** Lines that fit on a screen below the error message. */
const TAIL_LINES = 20;

/** Runs a program to its end; resolves with its status and the end of its output. */
export const runProgram = async (
  command: string,
  args: readonly string[],
  env: Setup['env'],
  onLine: (line: string) => void = () => undefined,
): Promise<{ status: number; tail: string[] }> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const tail: string[] = [];
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (line.trim() === '') return;
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        onLine(line);
      });
    }
    child.once('error', (error) => resolve({ status: -1, tail: [error.message] }));
    child.once('close', (code) => resolve({ status: code ?? -1, tail }));
  });

const isRoot = (): boolean => process.getuid?.() === 0;

/** The exact command for a person to type where we lack permission. */
export const installCommand = (packages: readonly string[], asRoot: boolean): string => {
  const sudo = asRoot ? '' : 'sudo ';
  return `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packages.join(' ')}`;
};

/** Time for another run of apt to finish: the machine's upgrade, or another checkout's set-up. */
const APT_LOCK_SECONDS = 120;

const aptInstall = async (
  setup: Setup,
  apt: string,
  packages: readonly string[],
): Promise<{ status: number; tail: string[] }> => {
  const env = { ...setup.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = (): ReturnType<typeof runProgram> =>
    runProgram(
      apt,
      ['install', '-y', '--no-install-recommends', '-o', `DPkg::Lock::Timeout=${APT_LOCK_SECONDS}`, ...packages],
      env,
      setup.report,
    );
  const first = await install();
  if (first.status === 0) return first;
  // A new machine has no package lists, or outdated ones.
  await runProgram(apt, ['update'], env, setup.report);
  return install();
};

/**
 * Installs Debian packages without starting their services.
 *
 * @param why completes the sentence "PACKAGE is needed …" of the message
 * @throws SetupError with the command to type without root, or apt's own messages when it fails
 */
export const installPackages = async (setup: Setup, packages: readonly string[], why: string): Promise<void> => {
  const command = installCommand(packages, isRoot());
  const apt = findProgram(setup.env, 'apt-get');
  if (!isRoot() || apt === undefined)
    throw new SetupError(`${packages.join(', ')} is needed ${why}; install it with:`, [`  ${command}`]);
  const quiet = !existsSync(POLICY);
  if (quiet) writeFileSync(POLICY, policy(identify(process.pid)), { mode: 0o755 });
  try {
    const { status, tail } = await aptInstall(setup, apt, packages);
    if (status !== 0)
      throw new SetupError(`could not install ${packages.join(', ')}, which is needed ${why}; tried: ${command}`, tail);
  } finally {
    if (quiet) rmSync(POLICY, { force: true });
  }
};

/** Finds a program; installs its package when it is missing. */
export const ensureProgram = async (
  setup: Setup,
  name: string,
  packages: readonly string[],
  why: string,
): Promise<string> => {
  const found = findProgram(setup.env, name);
  if (found !== undefined) return found;
  await installPackages(setup, packages, why);
  const installed = findProgram(setup.env, name);
  if (installed === undefined)
    throw new SetupError(`${packages.join(', ')} is installed, but \`${name}\` is not to be found`);
  return installed;
};
