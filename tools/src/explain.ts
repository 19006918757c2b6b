// SPDX-License-Identifier: Apache-2.0
import pc from 'picocolors';
import { SetupError } from './setup-error.ts';

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Prints what a person needs: the message and its details for what we know, a stack for a bug. */
export const explain = (error: unknown): void => {
  if (!(error instanceof SetupError)) {
    say(pc.red(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return;
  }
  say(pc.red(`✖ ${error.message}`));
  for (const line of error.details) say(`  ${line}`);
};
