// SPDX-License-Identifier: Apache-2.0
import pc from 'picocolors';
import { SetupError } from './setup-error.ts';

const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Prints an error for a person: message and details of an expected one, the stack of a bug. */
export const explain = (error: unknown): void => {
  if (!(error instanceof SetupError)) {
    print(pc.red(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return;
  }
  print(pc.red(`✖ ${error.message}`));
  for (const line of error.details) print(`  ${line}`);
};
