// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { promisify } from 'node:util';

/**
 * Packages of Bun by processor. For x64 these are the builds without AVX2: a build that needs it crashes at its first
 * instruction on a processor without it.
 */
const PACKAGES: Readonly<Record<string, string>> = {
  x64: '@oven/bun-linux-x64-baseline',
  arm64: '@oven/bun-linux-aarch64',
};

/**
 * Compiles runtime, agent and the agent's bytecode into one file. By default the program would read settings from its
 * working directory, which is the workspace. https://bun.com/docs/bundler/executables
 */
export const COMPILE = [
  'build',
  '--compile',
  '--bytecode',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
] as const;

/**
 * The file of Bun that is installed for this machine; agents run on it (ADR 0088). It is an optional package, which
 * `npm ci --omit=optional` leaves out. Throws an Error that names the remedy where it is missing.
 */
export function agentRuntime(): string {
  const name = platform === 'linux' ? PACKAGES[arch] : undefined;
  if (name === undefined)
    throw new Error(
      `the sandbox agent has no runtime for ${platform} on ${arch}: build sandbox images on Linux (x64 or arm64)`,
    );
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/bun`);
  } catch (cause) {
    throw new Error(
      `the runtime of the sandbox agent (${name}) isn't installed: run \`npm ci\` without \`--omit=optional\``,
      { cause },
    );
  }
}

/**
 * Compiles the agent's program from its bundle; the file exists until `use` has settled. Rejects with the compiler's
 * output.
 */
export async function withAgentProgram(
  runtime: string,
  bundlePath: string,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'writ-agent-'));
  try {
    const path = join(folder, 'agent');
    // With its own folder and environment: nothing of the builder's environment gets into the program.
    await promisify(execFile)(runtime, [...COMPILE, bundlePath, '--outfile', path], {
      cwd: folder,
      env: { HOME: folder },
    });
    await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
