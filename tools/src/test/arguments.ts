// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError, type OutputConfiguration } from 'commander';

const EPILOGUE = `
Sets up what it needs (the parts that run under \`npm run parts\`, if they do) and runs lint, types, a minute of
fuzzing, unit, property and integration tests of every project, then e2e, fault and adversarial tests on whole processes.

Environment: WRIT_DATABASE_URL, WRIT_NATS_URL, DOCKER_HOST put a real server in the place of each part;
WRIT_STATE_DIR says where state lies (.writ).`;

/**
 * Reads the command line of `npm test`.
 *
 * @param names of all checks
 * @param output where help and errors go, the terminal unless said otherwise
 * @returns those to run, or the status to end with after what was said on the terminal
 */
export const parseArguments = (args: readonly string[], names: readonly string[], output: OutputConfiguration = {}): readonly string[] | number => {
  const command = new Command('npm test --')
    .description('Runs every check of the repository on real parts.')
    .option('--only <names>', `some of: ${names.join(', ')}`, (text) => text.split(','))
    .addHelpText('after', EPILOGUE)
    .allowExcessArguments(false)
    .configureOutput(output)
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
    const { only } = command.opts<{ only?: string[] }>();
    const unknown = only?.find((name) => !names.includes(name));
    if (unknown !== undefined) command.error(`error: there is no check \`${unknown}\`; there are: ${names.join(', ')}`);
    return only ?? names;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
};
