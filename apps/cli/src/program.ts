// SPDX-License-Identifier: Apache-2.0
import { Command, CommanderError } from 'commander';
import { CliError, EXIT, seePage } from './cli-error.ts';
import type { Context } from './context.ts';
import { verifyArguments } from './utf8.ts';

type Make = (context: Context) => Command;

interface Group {
  readonly name: string;
  readonly summary: string;
  /** Loaded only when it is called: `verify` then runs without the code that speaks to a server. */
  readonly load: () => Promise<Make>;
}

const GROUPS: readonly Group[] = [
  { name: 'call', summary: 'call a tool', load: async () => (await import('./call/call.ts')).callCommand },
  {
    name: 'chat',
    summary: 'work with an agent, and decide what waits',
    load: async () => (await import('./chat/chat.ts')).chatCommand,
  },
  { name: 'tools', summary: 'the tools that exist', load: async () => (await import('./tools/tools.ts')).toolsCommand },
  {
    name: 'operations',
    summary: 'what was called and what became of it',
    load: async () => (await import('./operations/operations.ts')).operationsCommand,
  },
  {
    name: 'policy',
    summary: 'which rules decide',
    load: async () => (await import('./policies/policies.ts')).policyCommand,
  },
  {
    name: 'approvals',
    summary: 'what waits for a person',
    load: async () => (await import('./approvals/approvals.ts')).approvalsCommand,
  },
  {
    name: 'risk',
    summary: 'what a command would risk',
    load: async () => (await import('./risk/risk.ts')).riskCommand,
  },
  {
    name: 'mk8',
    summary: 'scripts of mk8.shell, checked before they run',
    load: async () => (await import('./mk8/mk8.ts')).mk8Command,
  },
  {
    name: 'dialect',
    summary: 'tool calls in the words of models, read and written',
    load: async () => (await import('./dialects/dialects.ts')).dialectCommand,
  },
  {
    name: 'turn',
    summary: 'run what a model wrote, and tell it what became of it',
    load: async () => (await import('./turn/turn.ts')).turnCommand,
  },
  {
    name: 'events',
    summary: 'what becomes of operations, as it happens',
    load: async () => (await import('./events/events.ts')).eventsCommand,
  },
  {
    name: 'job',
    summary: 'what agents do by the clock',
    load: async () => (await import('./jobs/jobs.ts')).jobCommand,
  },
  {
    name: 'session',
    summary: 'conversations of agents',
    load: async () => (await import('./runs/sessions.ts')).sessionCommand,
  },
  {
    name: 'run',
    summary: 'tasks that agents do, as they happen and as they would under another policy',
    load: async () => (await import('./runs/runs.ts')).runCommand,
  },
  {
    name: 'webhooks',
    summary: 'who is told of approvals and of calls in doubt',
    load: async () => (await import('./webhooks/webhooks.ts')).webhooksCommand,
  },
  {
    name: 'receipt',
    summary: 'the receipt of an operation',
    load: async () => (await import('./receipt/receipt.ts')).receiptCommand,
  },
  {
    name: 'verify',
    summary: 'verify receipts offline',
    load: async () => (await import('./verify/verify.ts')).verifyCommand,
  },
  {
    name: 'log',
    summary: 'the log of all that was decided, to be verified',
    load: async () => (await import('./log/log.ts')).logCommand,
  },
  {
    name: 'export',
    summary: 'records for other systems',
    load: async () => (await import('./export/export.ts')).exportCommand,
  },
  {
    name: 'records',
    summary: 'find what was recorded',
    load: async () => (await import('./records/records.ts')).recordsCommand,
  },
  {
    name: 'witness',
    summary: 'cosign the checkpoints of logs, elsewhere',
    load: async () => (await import('./witness/witness.ts')).witnessCommand,
  },
  {
    name: 'workspace',
    summary: 'files that agents work on',
    load: async () => (await import('./workspaces/workspaces.ts')).workspaceCommand,
  },
  {
    name: 'usage',
    summary: 'tokens and costs of the runs of agents',
    load: async () => (await import('./usage/usage.ts')).usageCommand,
  },
  {
    name: 'resources',
    summary: 'versions of things outside that calls rely on',
    load: async () => (await import('./resources/resources.ts')).resourcesCommand,
  },
  { name: 'token', summary: 'what agents may do', load: async () => (await import('./tokens/tokens.ts')).tokenCommand },
  {
    name: 'search-provider',
    summary: 'what answers searches of the web',
    load: async () => (await import('./tools/search-provider.ts')).searchProviderCommand,
  },
  {
    name: 'secret',
    summary: 'values that calls use by name and nobody reads',
    load: async () => (await import('./secrets/secrets.ts')).secretCommand,
  },
  {
    name: 'sandbox',
    summary: 'where scripts of mk8.shell run, under which rules',
    load: async () => (await import('./sandboxes/sandboxes.ts')).sandboxCommand,
  },
  {
    name: 'profile',
    summary: 'what raw commands may do at most',
    load: async () => (await import('./profiles/profiles.ts')).profileCommand,
  },
  {
    name: 'skill',
    summary: 'folders of guidance that agents read',
    load: async () => (await import('./skills/skills.ts')).skillCommand,
  },
  {
    name: 'container',
    summary: 'containers that have a call or a session now',
    load: async () => (await import('./containers/containers.ts')).containerCommand,
  },
  {
    name: 'agents',
    summary: 'on whose behalf tools are called',
    load: async () => (await import('./agents/agents.ts')).agentsCommand,
  },
  {
    name: 'keys',
    summary: 'API keys, and the public keys that verify receipts',
    load: async () => (await import('./keys/keys.ts')).keysCommand,
  },
  {
    name: 'signing-keys',
    summary: 'the keys that sign permits, records and checkpoints, in their files',
    load: async () => (await import('./signing-keys/signing-keys.ts')).signingKeysCommand,
  },
  { name: 'freeze', summary: 'emergency stop', load: async () => (await import('./freezes/freezes.ts')).freezeCommand },
  {
    name: 'unfreeze',
    summary: 'lift an emergency stop',
    load: async () => (await import('./freezes/freezes.ts')).unfreezeCommand,
  },
  {
    name: 'erase',
    summary: 'erase the content of calls',
    load: async () => (await import('./erasures/erase.ts')).eraseCommand,
  },
  {
    name: 'retention',
    summary: 'how long contents are kept',
    load: async () => (await import('./erasures/retention.ts')).retentionCommand,
  },
  {
    name: 'tenant',
    summary: 'teams, each apart from all others',
    load: async () => (await import('./tenants/tenants.ts')).tenantCommand,
  },
];

const EPILOGUE = `
In a checkout where \`npm start\` runs, no settings are needed. Elsewhere: --url and --api-key, or WRIT_URL and WRIT_API_KEY.
Exit status: 0 done, 1 refused or failed, 2 called in a way that has no meaning.`;

/** What commander says itself begins like this; our errors name a code. */
const OWN_PREFIX = /^error: /;

function rootCommand({ write, complain }: Context): Command {
  return new Command('writ')
    .description('Calls tools under Writ, decides what waits for a person, and verifies receipts.')
    .option('--json', 'one JSON value on stdout')
    .option('--url <url>', 'address of the API (WRIT_URL)')
    .option('--api-key <key>', 'an API key (WRIT_API_KEY)')
    .option('--as <holder>', 'whose key of the local set-up: admin, operator, agent or platform')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: complain,
      outputError: (text, out) => out(`error usage: ${text.replace(OWN_PREFIX, '')}`),
    });
}

/** Settings of the root, such as where output goes, hold for everything below it. */
function inherit(parent: Command, child: Command): Command {
  child.copyInheritedSettings(parent);
  for (const grandchild of child.commands) inherit(child, grandchild as Command);
  return child;
}

async function assemble(context: Context, args: readonly string[]): Promise<Command> {
  const root = rootCommand(context);
  for (const { name, summary, load } of GROUPS) {
    const command = args.includes(name) ? (await load())(context) : new Command(name);
    root.addCommand(inherit(root, command.summary(summary).description(command.description() || summary)));
  }
  return root;
}

/** Runs the program; resolves with the status to exit with. Bugs reject. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  let exit: number = EXIT.ok;
  try {
    verifyArguments(args);
    await (
      await assemble(
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
    // Help that was asked for is no error; help in place of a missing command is.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CliError)) throw error;
    context.complain(`error ${error.code}: ${error.message}${seePage(error.code)}\n`);
    return error.exit;
  }
}
