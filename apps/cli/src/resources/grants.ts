// SPDX-License-Identifier: Apache-2.0
import { CLEARANCES, isId, ResourceGrantView, type ResourceGrant } from '@writ/contract';
import { Command, Option } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { findResource, parseKind, parseResourceName } from './find-resource.ts';

const PATH = '/v1/resource-grants';
const LIST_ROWS = 50;
const PAGE_ROWS = 200;

interface TargetOptions extends CommonOptions {
  readonly agent?: string;
  readonly everyAgent?: true;
  readonly create?: true;
}

interface GrantOptions extends TargetOptions {
  readonly clearance: ResourceGrant['clearance'];
}

type GrantKey = Omit<ResourceGrant, 'clearance'>;

const withTarget = (command: Command): Command =>
  command
    .argument('<resource>', 'KIND:NAME or an id; KIND for all of the kind')
    .option('--agent <id>', 'to this agent')
    .option('--every-agent', 'to every agent, also to later ones')
    .option('--create', 'to make resources of the kind, instead of using them');

/** `writ resource grant`. */
export function grantCommand(context: Context): Command {
  const command = withTarget(
    new Command('grant').description('lets an agent use a resource or all of a kind, or changes the clearance'),
  ).addOption(
    new Option(
      '--clearance <clearance>',
      'the least supervision: autopilot leaves it to policy, soft_gate takes a person, escalated an administrator',
    )
      .choices(CLEARANCES)
      .default('autopilot'),
  );
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<GrantOptions>();
    const { client } = connect(context, options, 'admin');
    const body = { ...(await keyOf(client, text, options)), clearance: options.clearance };
    const grant = await client.read(ResourceGrantView, PATH, { method: 'PUT', body });
    show(context, options, grant, () => describeGrant(grant));
  });
}

/** `writ resource ungrant`. */
export function ungrantCommand(context: Context): Command {
  const command = withTarget(new Command('ungrant').description('takes a grant back'));
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<TargetOptions>();
    const { client } = connect(context, options, 'admin');
    const { resource_grant_id } = await findGrant(client, await keyOf(client, text, options));
    const grant = await client.read(ResourceGrantView, `${PATH}/${resource_grant_id}`, { method: 'DELETE' });
    show(context, options, grant, () => `took back\n${describeGrant(grant)}`);
  });
}

interface ListOptions extends CommonOptions {
  readonly kind?: string;
  readonly agent?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** `writ resource grants`. */
export function grantsCommand(context: Context): Command {
  const command = new Command('grants')
    .description('lists the grants of resources')
    .option('--kind <kind>', 'only grants of this kind')
    .option('--agent <id>', 'only grants that count for this agent: its own and those of every agent')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ResourceGrantView, PATH, {
      kind: options.kind === undefined ? undefined : parseKind(options.kind),
      agent_id: options.agent,
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['right', 'resource', 'agent', 'clearance', 'set'],
        list.items.map(({ right, kind, name, agent_id, clearance, created_at }) => [
          right,
          `${kind}:${name ?? '*'}`,
          agent_id ?? 'every agent',
          clearance,
          momentOf(created_at),
        ]),
      ),
    );
  });
}

/** What the arguments name: at most one grant has the key. */
async function keyOf(client: Client, text: string, options: TargetOptions): Promise<GrantKey> {
  const { agent, everyAgent, create } = options;
  if ((agent === undefined) === (everyAgent === undefined))
    throw usage('give either `--agent ID` or `--every-agent`, so that nobody is granted anything by omission');
  const right = create === true ? 'create' : 'use';
  const agent_id = agent ?? null;
  const isOne = isId('resource', text) || parseResourceName(text).name !== null;
  if (!isOne) return { kind: parseResourceName(text).kind, resource_id: null, right, agent_id };
  if (right === 'create') throw usage('`--create` is for a kind: what is to be made has no name yet');
  const { kind, resource_id } = await findResource(client, text);
  return { kind, resource_id, right, agent_id };
}

async function findGrant(client: Client, key: GrantKey): Promise<ResourceGrantView> {
  for (let cursor: string | undefined; ;) {
    const { items, next_cursor } = await readList(client, ResourceGrantView, PATH, {
      kind: key.kind,
      resource_id: key.resource_id ?? undefined,
      agent_id: key.agent_id ?? undefined,
      limit: PAGE_ROWS,
      cursor,
    });
    const grant = items.find(
      ({ resource_id, right, agent_id }) =>
        resource_id === key.resource_id && right === key.right && agent_id === key.agent_id,
    );
    if (grant !== undefined) return grant;
    if (next_cursor === null)
      throw new CliError('not_found', 'there is no such grant: `writ resource grants` lists those that are there');
    cursor = next_cursor;
  }
}

const describeGrant = ({ right, kind, name, agent_id, clearance }: ResourceGrantView): string =>
  fieldsOf({ right, resource: `${kind}:${name ?? '*'}`, agent: agent_id ?? 'every agent', clearance });
