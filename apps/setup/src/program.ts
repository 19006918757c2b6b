// SPDX-License-Identifier: Apache-2.0
import { VERSION } from '@writ/nest-kit/environment';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { readKeysConfig, readMigrateConfig, readNatsConfig, type Variables } from './config.env.ts';
import { Failure } from './failure.ts';
import { addGateCommand } from './gate/command.ts';
import { FolderStore } from './keys/folder-store.ts';
import type { KeyStore } from './keys/key-store.ts';
import { keySets } from './keys/layout.ts';
import { makeKeys } from './keys/make-keys.ts';
import { migrateDatabase } from './migrate/migrate-database.ts';
import { writeNatsConfig, type RenderConfig } from './nats-config.ts';
import { addSmokeCommand } from './smoke/command.ts';
import { signingKeysCommand } from './keys/signing-keys-command.ts';

/** The environment and outputs of the program. */
export interface ProgramContext {
  readonly env: Variables;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  readonly renderNatsConfig: RenderConfig;
}

const EXIT = { done: 0, failed: 1 } as const;
/** The folder of the schemas in the image. */
const SCHEMAS = '/opt/writ/schemas';
/** The valid names of a release, with which the names of its objects begin. */
const PREFIX = /^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/;
const HOST = /^[A-Za-z0-9_.:-]{1,253}$/;
const PORT_MAX = 65_535;

interface KeysOptions {
  readonly out?: string;
  readonly kubernetes?: true;
  readonly prefix?: string;
  readonly natsHost: readonly string[];
  readonly postgresHost: readonly string[];
}
interface NatsOptions {
  readonly keys: string;
  readonly out: string;
  readonly keysAtServer: string;
  readonly storeDir: string;
  readonly port: number;
}

const collectHosts = (host: string, before: readonly string[]): readonly string[] => {
  if (!HOST.test(host)) throw new InvalidArgumentError('a name or an address of a server.');
  return [...before, host];
};

const parsePrefix = (text: string): string => {
  if (!PREFIX.test(text)) throw new InvalidArgumentError('up to 42 of a-z, 0-9 and hyphen, beginning with a letter.');
  return text;
};

const parsePort = (text: string): number => {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX) throw new InvalidArgumentError('a TCP port, 1 to 65535.');
  return port;
};

/** Resolves with the store that the options name. The Kubernetes client is loaded only when it is used. */
async function storeOf({ out, kubernetes, prefix }: KeysOptions): Promise<KeyStore> {
  if ((out === undefined) === (kubernetes === undefined))
    throw new Failure('keys go to a folder or to the cluster: give either `--out` or `--kubernetes`');
  if (out !== undefined) return new FolderStore(out);
  if (prefix === undefined)
    throw new Failure("`--kubernetes` needs `--prefix`: the name of the release, which the Secrets' names begin with");
  const { ClusterStore, inClusterTarget } = await import('./keys/cluster-store.ts');
  return new ClusterStore(inClusterTarget(prefix));
}

async function runKeys(options: KeysOptions, { env, print }: ProgramContext): Promise<string> {
  const { WRIT_DEPLOYMENT: deployment } = readKeysConfig(env);
  const store = await storeOf(options);
  const sets = keySets({
    deployment,
    natsHosts: options.natsHost,
    postgresHosts: options.postgresHost,
    now: () => new Date(),
  });
  const made = await makeKeys(sets, store, print);
  return made.length === 0
    ? 'all keys are there: nothing was made'
    : `${made.length} of ${sets.length} key sets were made`;
}

function runNatsConfig(options: NatsOptions, { env, renderNatsConfig }: ProgramContext): string {
  writeNatsConfig({ ...options, shard: readNatsConfig(env).WRIT_SHARD }, renderNatsConfig);
  return `\`${options.out}\` was written`;
}

function commandLine(
  context: ProgramContext,
  run: (name: string, act: () => Promise<string>) => Promise<void>,
): Command {
  // Set first: commands inherit these settings when they are added.
  const program = new Command('setup')
    .exitOverride()
    .allowExcessArguments(false)
    .description('Prepares a deployment of Writ: its keys, its database, and the configuration of its NATS.')
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.printError(text.trimEnd()),
    });
  program
    .command('migrate')
    .description('makes roles and schemas, or updates them (WRIT_ADMIN_DATABASE_URL, WRIT_ROLE_PASSWORDS_DIR)')
    .option('--schemas <dir>', 'the SQL of the schemas, with a folder for each', SCHEMAS)
    .action(({ schemas }: { schemas: string }) =>
      run('migrate', () => migrateDatabase(readMigrateConfig(context.env), schemas, context.print)),
    );
  program
    .command('keys')
    .description('makes the keys that are missing, and changes none that is there')
    .option('--out <dir>', 'to a folder, with a folder per set')
    .option('--kubernetes', "as Secrets and ConfigMaps of the pod's namespace")
    .option('--prefix <release>', 'what the names of these begin with', parsePrefix)
    .option(
      '--nats-host <host>',
      'a name or address of the bundled NATS, for its certificate; may be given several times',
      collectHosts,
      [],
    )
    .option('--postgres-host <host>', 'the same of the bundled Postgres', collectHosts, [])
    .action((options: KeysOptions) => run('keys', () => runKeys(options, context)));
  program
    .command('nats-config')
    .description('writes the configuration of the bundled NATS from its keys')
    .requiredOption('--keys <dir>', 'the folder of the set `nats-server`')
    .requiredOption('--out <file>', 'the file to write')
    .option('--keys-at-server <dir>', 'the folder of that set where the server sees it', '/etc/writ/keys')
    .option('--store-dir <dir>', 'the folder of JetStream', '/data')
    .option('--port <port>', 'the port to listen on', parsePort, 4222)
    .action((options: NatsOptions) =>
      run('nats-config', async () => await Promise.resolve(runNatsConfig(options, context))),
    );
  addGateCommand(program, VERSION, context.print, run);
  addSmokeCommand(program, context.print, run);
  program.addCommand(signingKeysCommand({ env: context.env, parsePrefix, now: Date.now, print: context.print, run }));
  return program;
}

/**
 * Runs the set-up program. Its last line reports what was done or what to change.
 *
 * @param args the command line, without the program
 * @returns the exit status
 */
export async function runSetup(args: readonly string[], context: ProgramContext): Promise<number> {
  let status: number = EXIT.done;
  const run = async (name: string, act: () => Promise<string>): Promise<void> => {
    try {
      context.print(`setup ${name}: ${await act()}`);
    } catch (error) {
      status = EXIT.failed;
      // An error that is no Failure is a bug, and its stack is needed.
      if (!(error instanceof Failure))
        context.printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
      context.printError(`setup ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  try {
    await commandLine(context, run).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.done : EXIT.failed;
  }
  return status;
}
