// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { promisify } from 'node:util';

/**
 * Bun by processor; of x64 the builds that ask for no AVX2, since those that do end at their first instruction
 * elsewhere.
 */
const PACKAGES: Readonly<Record<string, string>> = {
  x64: '@oven/bun-linux-x64-baseline',
  arm64: '@oven/bun-linux-aarch64',
};

/**
 * One file of runtime, agent and the agent's bytecode. Left to itself it would read settings from the directory in
 * which it starts, and that is the workspace. https://bun.com/docs/bundler/executables
 */
export const COMPILE = [
  'build',
  '--compile',
  '--bytecode',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
] as const;

/**
 * The file of Bun as it was installed for this machine, on which agents run (ADR 0088). Throws an Error that says what
 * to do where it wasn't: it is an optional package, which `npm ci --omit=optional` leaves out.
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

/** Makes the agent's program of its bundle, for as long as `use` takes. Rejects with what the compiler said. */
export async function withAgentProgram(
  runtime: string,
  bundlePath: string,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'writ-agent-'));
  try {
    const path = join(folder, 'agent');
    // In a folder and with an environment of its own: nothing of who builds goes in.
    await promisify(execFile)(runtime, [...COMPILE, bundlePath, '--outfile', path], {
      cwd: folder,
      env: { HOME: folder },
    });
    await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
