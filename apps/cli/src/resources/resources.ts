// SPDX-License-Identifier: Apache-2.0
import { ResourceView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';
import { findResource, parseKind, RESOURCES_PATH } from './find-resource.ts';
import { grantCommand, grantsCommand, ungrantCommand } from './grants.ts';
import { settingsOf, withSettingsOptions, type SettingsOptions } from './settings-options.ts';

interface ListOptions extends CommonOptions {
  readonly kind?: string;
  readonly agent?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

interface UpdateOptions extends SettingsOptions {
  readonly expect?: number;
}

const LIST_ROWS = 50;

/** `writ resource`: what agents are granted one by one. */
export function resourceCommand(context: Context): Command {
  return new Command('resource')
    .description(
      'Resources that agents are granted one by one: search engines, websites, stores, mailboxes. A resource is written KIND:NAME, or as its id.',
    )
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(createCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(removeCommand(context))
    .addCommand(grantCommand(context))
    .addCommand(ungrantCommand(context))
    .addCommand(grantsCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .option('--kind <kind>', 'only resources of this kind')
    .option('--agent <id>', 'only those that this agent may use')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ResourceView, RESOURCES_PATH, {
      kind: options.kind === undefined ? undefined : parseKind(options.kind),
      agent_id: options.agent,
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['resource', 'version', 'changed', 'id'],
        list.items.map(({ kind, name, version, updated_at, resource_id }) => [
          `${kind}:${name}`,
          String(version),
          momentOf(updated_at),
          resource_id,
        ]),
      ),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one resource in full').argument('<resource>');
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const resource = await findResource(connect(context, options, 'operator').client, text);
    show(context, options, resource, () => describeResource(resource));
  });
}

function createCommand(context: Context): Command {
  const command = withSettingsOptions(
    new Command('create').description('registers a resource').argument('<kind>').argument('<name>'),
  );
  return command.action(async (kindText: string, name: string) => {
    const options = command.optsWithGlobals<SettingsOptions>();
    const kind = parseKind(kindText);
    const body = { kind, name, settings: await settingsOf(context, kind, options) };
    const { client } = connect(context, options, 'admin');
    const resource = await client.read(ResourceView, RESOURCES_PATH, { method: 'POST', body });
    show(context, options, resource, () => describeResource(resource));
  });
}

function updateCommand(context: Context): Command {
  const command = withSettingsOptions(
    new Command('update')
      .description('replaces the settings of a resource; its grants stay')
      .argument('<resource>')
      .option('--expect <version>', 'the version that is replaced; by default the present one', parseCount),
  );
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<UpdateOptions>();
    const { client } = connect(context, options, 'admin');
    const { resource_id, kind, version } = await findResource(client, text);
    const body = { settings: await settingsOf(context, kind, options), expected_version: options.expect ?? version };
    const resource = await client.read(ResourceView, `${RESOURCES_PATH}/${resource_id}`, { method: 'PATCH', body });
    show(context, options, resource, () => describeResource(resource));
  });
}

function removeCommand(context: Context): Command {
  const command = deleteCommand()
    .description('removes a resource and its grants: no call uses it from then on')
    .argument('<resource>');
  return command.action(async (text: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const { resource_id } = await findResource(client, text);
    const resource = await client.read(ResourceView, `${RESOURCES_PATH}/${resource_id}`, { method: 'DELETE' });
    show(context, options, resource, () => `removed ${resource.kind}:${resource.name}`);
  });
}

const describeResource = (resource: ResourceView): string =>
  fieldsOf({
    resource: `${resource.kind}:${resource.name}`,
    id: resource.resource_id,
    owner: resource.owner_agent_id,
    settings: resource.settings === null ? null : JSON.stringify(resource.settings, null, 2),
    version: resource.version,
    digest: resource.digest,
    created: `${momentOf(resource.created_at)}${resource.created_by === null ? '' : ` by ${resource.created_by}`}`,
    changed: momentOf(resource.updated_at),
  });
