// SPDX-License-Identifier: Apache-2.0
import { ResourceView } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

interface SetOptions extends CommonOptions {
  readonly expect?: string;
  readonly new?: true;
}

const LIST_ROWS = 50;

const describe = (resource: ResourceView): string =>
  fieldsOf({
    resource: resource.ref,
    version: resource.version,
    since: momentOf(resource.updated_at),
    'set by': resource.updated_by,
  });

/** `writ resources`. */
export function resourcesCommand(context: Context): Command {
  return new Command('resources')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(setCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ResourceView, '/v1/resources', {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['since', 'resource', 'version'],
        list.items.map((each) => [momentOf(each.updated_at), each.ref, each.version]),
      ),
    );
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show').argument('<ref>');
  return command.action(async (ref: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const {
      items: [resource],
    } = await readList(connect(context, options, 'operator').client, ResourceView, '/v1/resources', { ref });
    if (resource === undefined) throw new CliError('not_found', `there is no resource \`${ref}\``);
    show(context, options, resource, () => describe(resource));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .argument('<ref>')
    .argument('<version>')
    .description('moves a resource to another version: calls that rely on the one before are rolled back')
    .option('--expect <version>', 'the version that stands')
    .option('--new', 'the resource is not there yet');
  return command.action(async (ref: string, version: string) => {
    const options = command.optsWithGlobals<SetOptions>();
    if ((options.expect === undefined) === (options.new === undefined))
      throw usage('say either `--expect <version>` or `--new`: what is overwritten unseen is lost');
    const body = { ref, version, expected_version: options.expect ?? null };
    const resource = await connect(context, options, 'operator').client.read(ResourceView, '/v1/resources', {
      method: 'PUT',
      body,
    });
    show(context, options, resource, () => describe(resource));
  });
}
