// SPDX-License-Identifier: Apache-2.0
import { SecretView } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

const LIST_ROWS = 50;

const describe = ({ name, version, note, created_at, created_by }: SecretView): string =>
  fieldsOf({
    secret: name,
    version: String(version),
    since: momentOf(created_at),
    'set by': created_by,
    ...(note === null ? {} : { note }),
  });

/** `writ secret`. No subcommand shows a value, and none accepts one as an argument. */
export function secretCommand(context: Context): Command {
  return new Command('secret')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(setCommand(context))
    .addCommand(removeCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & { limit?: number; cursor?: string }>();
    const list = await readList(connect(context, options, 'operator').client, SecretView, '/v1/secrets', {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['since', 'secret', 'version', 'note'],
        list.items.map((each) => [momentOf(each.created_at), each.name, String(each.version), each.note ?? '']),
      ),
    );
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('sets the value of a secret: typed without echo, or from standard input')
    .argument('<name>')
    .option('--note <text>', 'a note for people');
  return command.action(async (name: string) => {
    const { note, ...common } = command.optsWithGlobals<CommonOptions & { note?: string }>();
    const { client } = connect(context, common, 'admin');
    const value = await context.readHidden('value (not shown): ');
    if (value === '') throw usage('a value is needed: type it, or send it on standard input');
    const secret = await client.read(SecretView, '/v1/secrets', { method: 'PUT', body: { name, value, note } });
    show(context, common, secret, () => describe(secret));
  });
}

function removeCommand(context: Context): Command {
  const command = new Command('rm').description('removes a secret: no further call gets it').argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const secret = await connect(context, options, 'admin').client.read(
      SecretView,
      `/v1/secrets/${encodeURIComponent(name)}`,
      { method: 'DELETE' },
    );
    show(context, options, secret, () => describe(secret));
  });
}
