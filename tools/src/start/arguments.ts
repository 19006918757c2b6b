// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { variableLines } from './environment.ts';

export interface Arguments {
  /** Stop after the job. */
  readonly once: boolean;
}

const EPILOGUE = `
Everything it keeps lies in .writ/ and can be deleted. Ctrl-C stops it.
A service that ends is started again, unless --once is given.

Environment:
${variableLines()}`;

/**
 * Parses the command line of `npm start`.
 *
 * @param output for help and errors; the terminal by default
 * @returns the arguments, or the exit status after help or an error was printed
 */
export const parseArguments = (args: readonly string[], output: OutputConfiguration = {}): Arguments | number => {
  const command = new Command('npm start --')
    .description('Starts Writ on this machine, runs an agent on a real repository, and stays up.')
    .option('--once', 'stop after the job; exit 0 only if all went as it should', false)
    .addHelpText('after', EPILOGUE)
    .allowExcessArguments(false)
    .configureOutput(output)
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
  return command.opts<Arguments>();
};
