// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The number of the compiler's lines in a message. */
const ERRORS_SHOWN = 20;

/** A line of `tsc --build --verbose` that names the project it works on. */
const PROJECT = /Building project '(?:.*\/)?([^/]+\/[^/]+)\/tsconfig\.json'/;

/**
 * Compiles every process and the libraries that it uses; unchanged projects are skipped.
 *
 * @throws SetupError with the compiler's errors
 */
export const compile = async (
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
  onLine: (line: string) => void,
): Promise<void> => {
  const errors: string[] = [];
  const take = (line: string): void => {
    const project = PROJECT.exec(line)?.[1];
    if (project !== undefined) onLine(project);
    else if (/error TS\d+/.test(line)) errors.push(line);
  };
  const tsc = join(checkout, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const { status, tail } = await runProgram(
    process.execPath,
    [tsc, '--build', '--verbose', '--pretty', 'false', join(checkout, 'tsconfig.json')],
    env,
    take,
  );
  if (status === 0) return;
  const more = errors.length > ERRORS_SHOWN ? [`… and ${errors.length - ERRORS_SHOWN} more`] : [];
  throw new SetupError(
    'the sources do not compile',
    errors.length > 0 ? [...errors.slice(0, ERRORS_SHOWN), ...more] : tail,
  );
};
