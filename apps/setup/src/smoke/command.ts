// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { Failure } from '../failure.ts';
import { runSmoke } from './smoke.ts';

/** Runs the action of a command and reports how it ended. */
export type Run = (name: string, act: () => Promise<string>) => Promise<void>;

interface Options {
  readonly url: string;
  readonly platformKeyFile: string;
  readonly keys: string;
  readonly waitSeconds: number;
}

const WAIT_SECONDS_MAX = 3_600;

const parseSeconds = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > WAIT_SECONDS_MAX)
    throw new InvalidArgumentError(`1 to ${WAIT_SECONDS_MAX}.`);
  return value;
};

function read(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`\`${option}\`: \`${path}\` can't be read (${code ?? 'unknown'})`, error);
  }
}

/** Adds `smoke`, which makes one call through the API and verifies its receipt. */
export function addSmokeCommand(program: Command, print: (line: string) => void, run: Run): void {
  program
    .command('smoke')
    .description('makes a tenant and one call in a sandbox, and verifies its receipt')
    .requiredOption('--url <url>', 'where the API is')
    .requiredOption('--platform-key-file <file>', 'a file with the platform key')
    .requiredOption('--keys <file>', 'the public keys of the deployment, `public-keys.json`')
    .option('--wait-seconds <n>', 'how long the API and the receipt are waited for', parseSeconds, 120)
    .action(({ url, platformKeyFile, keys, waitSeconds }: Options) =>
      run('smoke', () =>
        runSmoke({
          url,
          platformKey: read('--platform-key-file', platformKeyFile).trim(),
          keys: read('--keys', keys),
          waitMs: waitSeconds * 1_000,
          print,
        }),
      ),
    );
}
