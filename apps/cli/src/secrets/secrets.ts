// SPDX-License-Identifier: Apache-2.0
import { SecretView } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

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
    .addCommand(
      listCommand(context, {
        item: SecretView,
        path: '/v1/secrets',
        head: ['since', 'secret', 'version', 'note'],
        rowOf: (each) => [momentOf(each.created_at), each.name, String(each.version), each.note ?? ''],
      }),
      { isDefault: true },
    )
    .addCommand(setCommand(context))
    .addCommand(removeCommand(context));
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
  const command = deleteCommand().description('removes a secret: no further call gets it').argument('<name>');
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
