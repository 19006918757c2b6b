// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError } from 'commander';
import { CliError, EXIT, seePage } from './cli-error.ts';
import { GROUPS } from './command-groups.ts';
import type { Context } from './context.ts';
import { verifyArguments } from './utf8.ts';

const EPILOGUE = `
In a checkout where \`npm start\` runs, no settings are needed. Elsewhere: --url and --api-key, or WRIT_URL and WRIT_API_KEY.
Exit status: 0 done, 1 refused or failed, 2 wrong usage.`;

/** The prefix of commander's own messages; errors of this program have a code instead. */
const OWN_PREFIX = /^error: /;

function rootCommand({ write, writeError }: Context): Command {
  return new Command('writ')
    .description('Calls tools under Writ, decides on held calls, and verifies receipts.')
    .option('--json', 'one JSON value on stdout')
    .option('--url <url>', 'address of the API (WRIT_URL)')
    .option('--api-key <key>', 'an API key (WRIT_API_KEY)')
    .option('--as <holder>', 'which key of the local set-up to use: admin, operator, agent or platform')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: writeError,
      outputError: (text, out) => out(`error usage: ${text.replace(OWN_PREFIX, '')}`),
    });
}

/** Help is for the named command: where there is none of that name, an unknown command is reported instead. */
function refuseHelpOfUnknown(command: Command): void {
  command.on('beforeHelp', () => {
    const operands = command.args[0] === 'help' ? command.args.slice(1) : command.args;
    const [named = '-'] = operands;
    const isKnown = command.commands.some((each) => each.name() === named || each.aliases().includes(named));
    if (isKnown || named.startsWith('-') || command.commands.length === 0) return;
    command.args = operands;
    // Its message suggests a similar name. Commander declares it as private.
    (command as Command & { unknownCommand: () => never }).unknownCommand();
  });
}

/** Settings of the root, such as its outputs, apply to all commands below it. */
function inheritSettings(parent: Command, child: Command): Command {
  child.copyInheritedSettings(parent);
  refuseHelpOfUnknown(child);
  for (const grandchild of child.commands) inheritSettings(child, grandchild as Command);
  return child;
}

async function buildProgram(context: Context, args: readonly string[]): Promise<Command> {
  const root = rootCommand(context);
  refuseHelpOfUnknown(root);
  for (const { name, alias, summary, load } of GROUPS) {
    const isNamed = args.includes(name) || (alias !== undefined && args.includes(alias));
    const command = isNamed ? (await load())(context) : new Command(name);
    if (isNamed && alias !== undefined) command.alias(alias);
    root.addCommand(inheritSettings(root, command.summary(summary).description(command.description() || summary)));
  }
  return root;
}

/** Runs the program; resolves with the exit status. Bugs reject. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  let exit: number = EXIT.ok;
  try {
    verifyArguments(args);
    await (
      await buildProgram(
        {
          ...context,
          setExit: (status) => {
            exit = status;
          },
        },
        args,
      )
    ).parseAsync(args, { from: 'user' });
    return exit;
  } catch (error) {
    // Requested help is no error; help in place of a missing command is.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CliError)) throw error;
    context.writeError(`error ${error.code}: ${error.message}${seePage(error.code)}\n`);
    return error.exit;
  }
}
