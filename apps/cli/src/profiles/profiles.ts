// SPDX-License-Identifier: Apache-2.0
import { ProfilePutReply, ProfileView, RAW_SHELLS } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteNamedCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { parseCount } from '../http/lists.ts';
import { listCommand } from '../list-command.ts';
import { describeNet, parseNet } from '../parse-net.ts';
import { warnOfMissingImage } from '../resources/warn-missing.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { getVerb } from '../verbs.ts';

const PATH = '/v1/execution-profiles';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

/** `writ profile`: upper limits for raw commands. */
export function profileCommand(context: Context): Command {
  return new Command('profile')
    .description(
      'Execution profiles: upper limits for raw commands (shell.dangerous). A profile never changes: remove it, and create another.',
    )
    .addCommand(
      listCommand(context, {
        item: ProfileView,
        path: PATH,
        head: ['profile', 'shells', 'workspace', 'created'],
        rowOf: ({ name, definition, created_at }) => [
          name,
          definition.shells.join(' '),
          definition.workspace_id ?? 'any',
          momentOf(created_at),
        ],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(createCommand(context))
    .addCommand(
      deleteNamedCommand(
        context,
        'profile',
        'removes a profile: no further call runs under it, including waiting ones',
        pathOf,
      ),
    );
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one profile in full').argument('<profile>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const profile = await connect(context, options, 'operator').client.read(ProfileView, pathOf(name));
    show(context, options, profile, () => describeProfile(profile));
  });
}

interface CreateOptions extends CommonOptions {
  readonly shell: readonly string[];
  readonly workspace?: string;
  readonly env?: readonly string[];
  readonly net?: readonly string[];
  readonly user?: string;
  readonly image?: string;
  readonly wallMs: number;
  readonly memoryMib: number;
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
const WALL_MS = 60_000;
const MEMORY_MIB = 512;

function createOptions(): Command {
  return new Command('create')
    .description('registers a profile; a token has to name it before anything runs under it')
    .argument('<profile>')
    .requiredOption('--shell <shell>', `what may read a command, of ${RAW_SHELLS.join(', ')}; may be repeated`, collect)
    .option('--workspace <id>', 'the only workspace for it; any by default')
    .option('--env <name=value>', 'an environment variable for commands, no secret; may be repeated', collect)
    .option(
      '--net <domain[:ports]=methods>',
      'a host that commands may reach if the token grants it too: api.example.org=GET,POST; may be repeated',
      collect,
    )
    .option('--user <name|uid:gid>', 'the user of the image that commands run as, never root; `sandbox` by default')
    .option('--image <name>', 'the image of the tenant that commands run in; that of the tool by default')
    .option('--wall-ms <n>', 'maximum run time of a command, in milliseconds', parseCount, WALL_MS)
    .option('--memory-mib <n>', 'memory of a command, in MiB', parseCount, MEMORY_MIB);
}

function createCommand(context: Context): Command {
  const command = createOptions();
  return command.action(async (name: string) => {
    const {
      shell,
      workspace,
      env = [],
      net = [],
      user,
      image,
      wallMs,
      memoryMib,
      ...common
    } = command.optsWithGlobals<CreateOptions>();
    const body = {
      name,
      shells: shell,
      ...(workspace === undefined ? {} : { workspace_id: workspace }),
      environment: Object.fromEntries(env.map(variableOf)),
      net: net.map(parseNet),
      ...(user === undefined ? {} : { user: userOf(user) }),
      ...(image === undefined ? {} : { image }),
      limits: { wall_ms: wallMs, memory_bytes: memoryMib * 1024 * 1024 },
    };
    const { client } = connect(context, common, 'admin');
    if (image !== undefined) await warnOfMissingImage(context, client, image);
    const { valid, problems, profile } = await client.read(ProfilePutReply, PATH, { method: 'POST', body });
    if (!valid || profile === null)
      throw new CliError(
        'profile.invalid',
        `nothing was registered\n${problems.map(({ pointer, message }) => `${visibleLine(pointer || '/')}: ${visibleLine(message)}`).join('\n')}`,
      );
    show(
      context,
      common,
      profile,
      () =>
        `${describeProfile(profile)}\nA token names it before anything runs under it: writ token issue --tool shell.dangerous --profile ${profile.name}`,
    );
  });
}

function variableOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`\`--env ${text}\` is no variable: write NAME=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `NAME` or `UID:GID`. */
function userOf(text: string): string | { uid: number; gid: number } {
  const [, uid, gid] = /^(\d{1,5}):(\d{1,5})$/.exec(text) ?? [];
  return uid === undefined ? text : { uid: Number(uid), gid: Number(gid) };
}

function describeProfile({
  name,
  definition: { shells, workspace_id, environment, net, user = 'sandbox', image, limits },
  digest,
  created_by,
  created_at,
}: ProfileView): string {
  return fieldsOf({
    profile: name,
    shells: shells.join(', '),
    workspace: workspace_id ?? 'any',
    environment:
      Object.entries(environment)
        .map(([key, value]) => visibleLine(`${key}=${value}`))
        .join('\n') || 'none',
    user: typeof user === 'string' ? user : `${user.uid}:${user.gid}`,
    image: image ?? 'that of the tool',
    hosts: net.map(describeNet).join('\n') || 'none',
    limits: `${limits.wall_ms} ms, ${Math.floor(limits.memory_bytes / (1024 * 1024))} MiB`,
    digest,
    created: `${momentOf(created_at)} by ${created_by}`,
  });
}
