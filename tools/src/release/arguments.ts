// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';

/** The parsed command line of `npm run cluster`. */
export interface Arguments {
  /** `install` by default: the node, the images, the chart, `helm test` and the main job. */
  readonly action: 'install' | 'node' | 'load' | 'metrics' | 'status' | 'down';
  /** Tar files of images, with `load`. */
  readonly images: readonly string[];
}

const EPILOGUE = `
The node has a network and a file system view of its own; the machine's rules, settings and containers stay as they are.
It goes on until \`npm run cluster -- --down\`. A second start attaches to it.

Needs root, Debian 12 and Go 1.21 or later. The first start builds Kubernetes and takes 10 GiB of free disk space
meanwhile. docs/operations/cluster.md says how long each step takes, and more.

Examples:
  npm run cluster                               bring it up, build the images, install the chart, test it, run the main job
  npm run cluster -- --node                     bring up the node alone, and print where its kubeconfig is
  export KUBECONFIG=$PWD/.writ/cluster/kubeconfig
  npm run cluster -- --load writ.tar            import an image that \`docker save\` wrote
  npm run cluster -- --metrics                  add metrics-server, for \`kubectl top\` and autoscaling
  npm run cluster -- --down                     end it, with everything in it

Environment: WRIT_STATE_DIR says where state lies (.writ): the cluster's in cluster/, what is built in cache/.`;

interface Options {
  readonly node?: true;
  readonly load?: string[];
  readonly metrics?: true;
  readonly status?: true;
  readonly down?: true;
}

const ACTIONS = ['node', 'load', 'metrics', 'status', 'down'] as const;

const option = (flags: string, description: string, name: (typeof ACTIONS)[number]): Option =>
  new Option(flags, description).conflicts(ACTIONS.filter((other) => other !== name));

/**
 * Parses the command line of `npm run cluster`.
 *
 * @param output for help and errors; the terminal by default
 * @returns the arguments, or the exit status after help or an error was printed
 */
export const parseArguments = (args: readonly string[], output: OutputConfiguration = {}): Arguments | number => {
  const command = new Command('npm run cluster --')
    .description('Installs Writ in a real Kubernetes of one node on this machine, tests it, and runs the main job.')
    .addOption(option('--node', 'bring the node up, or attach to it, and install nothing', 'node'))
    .addOption(option('--load <tars...>', 'import images into the node that is up', 'load'))
    .addOption(option('--metrics', 'add metrics-server to the node that is up', 'metrics'))
    .addOption(option('--status', 'say whether the node is up; exit 0 only if it is', 'status'))
    .addOption(option('--down', 'end the node and everything in it', 'down'))
    .addHelpText('after', EPILOGUE)
    .allowExcessArguments(false)
    .configureOutput(output)
    .exitOverride();
  try {
    command.parse(args, { from: 'user' });
    const options = command.opts<Options>();
    return { action: ACTIONS.find((name) => options[name] !== undefined) ?? 'install', images: options.load ?? [] };
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
};
