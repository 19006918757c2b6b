// SPDX-License-Identifier: Apache-2.0
import { VERSION } from '@writ/nest-kit/version';
import { Command, CommanderError, Option, type Help } from 'commander';
import { CliError, EXIT, seePage } from './cli-error.ts';
import { GROUPS, type Group } from './command-groups.ts';
import type { Context } from './context.ts';
import { EXAMPLES } from './examples.ts';
import { FORMATS } from './output/formats.ts';
import { verifyArguments } from './utf8.ts';

const EPILOGUE = `
A noun may be in the plural: \`writ operation list\` is \`writ operation list\`. Without a verb, a noun lists.
In a checkout where \`npm start\` runs, no settings are needed. Elsewhere: a context (\`writ context create --help\`),
or --url and --api-key, or WRIT_URL and WRIT_API_KEY.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 held or still running, 4 refused, 5 not found, 6 not allowed,
7 unavailable: try again, 8 unknown: it may have happened.`;

/** The prefix of commander's own messages; errors of this program have a code instead. */
const OWN_PREFIX = /^error: /;

/** Plurals and older spellings are understood and not shown. */
const HELP: Partial<Help> = {
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
  commandUsage: (command) => {
    const names: string[] = [];
    for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
    return `${names.join(' ')} ${command.usage()}`.trimEnd();
  },
};
const termOf = (argument: Command['registeredArguments'][number]): string => {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
};

function rootCommand({ write, writeError }: Context): Command {
  return new Command('writ')
    .description('Calls tools under Writ, decides on held calls, and verifies receipts.')
    .version(VERSION, '-V, --version', 'print the version of this program')
    .addOption(
      new Option(
        '-o, --output <format>',
        'the format of the answer: name prints one noun/id a line; table is the default',
      ).choices(FORMATS),
    )
    .addOption(new Option('--json', 'the same as -o json').conflicts('output'))
    .option('-q, --quiet', 'print no text for people: errors, and what -o requests')
    .option('--context <name>', 'the context to use (WRIT_CONTEXT); see `writ context`')
    .option('--url <url>', 'address of the API (WRIT_URL)')
    .option('--api-key <key>', 'an API key (WRIT_API_KEY)')
    .option('--as <holder>', 'which key of the local set-up to use: admin, operator, agent or platform')
    .addHelpText('after', EPILOGUE)
    .configureHelp(HELP)
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
    // Its message suggests a similar name.
    (command as unknown as Internals).unknownCommand();
  });
}

/** What commander keeps to itself. A noun lists without a verb, so a misspelt verb looks like an argument of `list`. */
interface Internals {
  readonly _defaultCommandName: string | null;
  _excessArguments: (received: readonly string[]) => void;
  readonly unknownCommand: () => never;
}

/** A misspelt verb is an unknown command, with a suggestion. */
function refuseUnknownVerb(noun: Command): void {
  const { _defaultCommandName } = noun as unknown as Internals;
  const usual = noun.commands.find((each) => each.name() === _defaultCommandName);
  if (usual === undefined || usual.registeredArguments.length > 0) return;
  const internals = usual as unknown as Internals;
  const refuse = internals._excessArguments.bind(usual);
  internals._excessArguments = (received) => {
    if ([usual.name(), ...usual.aliases()].includes(noun.args[0] ?? '')) return refuse(received);
    (noun as unknown as Internals).unknownCommand();
  };
}

/** Settings of the root, such as its outputs, apply to all commands below it. */
function inheritSettings(parent: Command, child: Command): Command {
  child.copyInheritedSettings(parent);
  refuseHelpOfUnknown(child);
  refuseUnknownVerb(child);
  for (const grandchild of child.commands) inheritSettings(child, grandchild as Command);
  return child;
}

const namesOf = ({ name, plural }: Group): string[] => [name, ...(plural === undefined ? [] : [plural])];

/** Only commands that the arguments name are loaded: `verify` then runs without the code that connects to a server. */
async function buildProgram(context: Context, args: readonly string[] | 'all'): Promise<Command> {
  const root = rootCommand(context);
  refuseHelpOfUnknown(root);
  for (const group of GROUPS) {
    const { name, plural, summary, load } = group;
    const isNamed = args === 'all' || namesOf(group).some((each) => args.includes(each));
    const command = isNamed
      ? (await load())({ ...context, noun: name, programFor: async (words) => await buildProgram(context, words) })
      : new Command(name);
    if (plural !== undefined) command.alias(plural);
    root.addCommand(inheritSettings(root, command.summary(summary).description(command.description() || summary)), {
      hidden: group.hidden === true,
    });
    const examples = EXAMPLES[name] ?? [];
    if (examples.length > 0)
      command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}`);
  }
  return root;
}

/** The whole command tree. */
export const wholeProgram = async (context: Context): Promise<Command> => await buildProgram(context, 'all');

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
