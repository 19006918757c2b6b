// SPDX-License-Identifier: Apache-2.0
import { ExternalVersionView } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { readList } from '../http/lists.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface SetOptions extends CommonOptions {
  readonly expect?: string;
  readonly new?: true;
}

const describe = (version: ExternalVersionView): string =>
  fieldsOf({
    name: version.ref,
    version: version.version,
    since: momentOf(version.updated_at),
    'set by': version.updated_by,
  });

/** `writ external-version`. */
export function externalVersionCommand(context: Context): Command {
  return new Command('external-version')
    .addCommand(
      listCommand(context, {
        item: ExternalVersionView,
        path: '/v1/external-versions',
        head: ['since', 'name', 'version'],
        rowOf: (each) => [momentOf(each.updated_at), each.ref, each.version],
      }),
      { isDefault: true },
    )
    .addCommand(showCommand(context))
    .addCommand(setCommand(context));
}

function showCommand(context: Context): Command {
  const command = getVerb().argument('<ref>');
  return command.action(async (ref: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const {
      items: [version],
    } = await readList(connect(context, options, 'operator').client, ExternalVersionView, '/v1/external-versions', {
      ref,
    });
    if (version === undefined) throw new CliError('not_found', `there is no external version of \`${ref}\``);
    show(context, options, version, () => describe(version));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .argument('<ref>')
    .argument('<version>')
    .description('sets the version of an external thing: calls that depend on the previous version are rolled back')
    .option('--expect <version>', 'the current version')
    .option('--new', 'it has no version yet');
  return command.action(async (ref: string, version: string) => {
    const options = command.optsWithGlobals<SetOptions>();
    if ((options.expect === undefined) === (options.new === undefined))
      throw usage('give either `--expect <version>` or `--new`, so that no unseen change is overwritten');
    const body = { ref, version, expected_version: options.expect ?? null };
    const moved = await connect(context, options, 'operator').client.read(
      ExternalVersionView,
      '/v1/external-versions',
      { method: 'PUT', body },
    );
    show(context, options, moved, () => describe(moved));
  });
}
