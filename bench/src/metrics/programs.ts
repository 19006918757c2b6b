// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program of bench/src/programs in a separate process, on the built code as it ships, and parses its output. */
export async function runProgram<T>(name: string, args: readonly string[]): Promise<T> {
  const { stdout } = await run(
    process.execPath,
    [fileURLToPath(new URL(`../programs/${name}.mjs`, import.meta.url)), ...args],
    { env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' } },
  );
  return JSON.parse(stdout) as T;
}
