// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError, InvalidArgumentError, type OutputConfiguration } from 'commander';
import type { Selection } from './checks.ts';

const EPILOGUE = `
Brings up what the checks need (or uses what \`npm run parts\` keeps up) and runs lint, types, rules of modules, a minute of
fuzzing, unit specs of every project, and specs of whole stacks: end to end, faults, attacks.

Examples:
  npm test                               everything but \`deploy\` and \`cluster\`
  npm test -- --changed                  what the uncommitted changes can affect
  npm test -- --changed main --only unit unit specs of the projects that changes since main can affect
  npm test -- --only e2e,fault --shard 1/4
  npm test -- --only deploy              images, compose and dashboards on real parts; some ten minutes
  npm test -- --only cluster             a real Kubernetes node; the first time builds Kubernetes

For one file: npx vitest run --project unit libs/merkle/src/proof.spec.ts (with \`npm run parts\` for what needs Postgres, NATS or Docker).

Environment: WRIT_DATABASE_URL, WRIT_NATS_URL, DOCKER_HOST put a real server in the place of each part;
WRIT_STATE_DIR says where state lies (.writ).`;

/** The default revision of `--changed`: uncommitted changes. */
const UNCOMMITTED = 'HEAD';

/** The parsed command line of `npm test`. */
export interface Arguments {
  readonly names: readonly string[];
  /** the revision since which changes count; absent where everything runs */
  readonly changed?: string;
  readonly shard?: Selection['shard'];
  /** whether this run's durations are saved, for the order of later ones */
  readonly keepDurations: boolean;
}

const parseShard = (text: string): Selection['shard'] => {
  const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) throw new InvalidArgumentError('It is I/N, with I from 1 to N: `--shard 2/4`.');
  return { index, count };
};

/**
 * Parses the command line of `npm test`.
 *
 * @param names of all checks
 * @param byDefault the checks without named ones
 * @param output for help and errors: the terminal by default
 * @returns what to run, or the exit status after the printed message
 */
export const parseArguments = (
  args: readonly string[],
  names: readonly string[],
  byDefault: readonly string[],
  output: OutputConfiguration = {},
): Arguments | number => {
  const command = new Command('npm test --')
    .description('Runs every check of the repository on real parts.')
    .option('--only <names>', `some of: ${names.join(', ')}`, (text) => text.split(','))
    .option('--changed [revision]', 'only what changes since a revision can affect; without one, what is not committed')
    .option('--shard <i/n>', 'one of n parts of the specs, for several machines', parseShard)
    .option('--keep-durations', 'keep how long files took, for the order of later runs')
    .addHelpText('after', EPILOGUE)
    .allowExcessArguments(false)
    .configureOutput(output)
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
    const {
      only,
      changed,
      shard,
      keepDurations = false,
    } = command.opts<{
      only?: string[];
      changed?: string | true;
      shard?: Selection['shard'];
      keepDurations?: boolean;
    }>();
    const unknown = only?.find((name) => !names.includes(name));
    if (unknown !== undefined) command.error(`error: there is no check \`${unknown}\`; there are: ${names.join(', ')}`);
    return {
      names: only ?? byDefault,
      keepDurations,
      ...(changed === undefined ? {} : { changed: changed === true ? UNCOMMITTED : changed }),
      ...(shard === undefined ? {} : { shard }),
    };
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
};
