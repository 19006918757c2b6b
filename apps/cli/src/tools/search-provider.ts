// SPDX-License-Identifier: Apache-2.0
import { SearchProviderView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf, momentOf } from '../terminal.ts';

const PATH = '/v1/search-provider';

const describe = ({ provider, definition_digest, set_at, set_by }: SearchProviderView): string =>
  fieldsOf({
    provider: `${provider.kind} at ${provider.url}`,
    since: momentOf(set_at),
    'set by': set_by,
    'web.search': definition_digest,
  });

/** `writ search-provider`: what answers `web.search`. */
export function searchProviderCommand(context: Context): Command {
  return new Command('search-provider')
    .addCommand(showCommand(context), { isDefault: true })
    .addCommand(setCommand(context))
    .addCommand(removeCommand(context));
}

function showCommand(context: Context): Command {
  const command = new Command('show').description('shows what answers searches of the web');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const provider = await connect(context, options, 'operator').client.read(SearchProviderView, PATH);
    show(context, options, provider, () => describe(provider));
  });
}

function setCommand(context: Context): Command {
  const command = new Command('set')
    .description('has searches answered there: a SearXNG, by its URL without `/search`')
    .argument('<url>');
  return command.action(async (url: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const provider = await connect(context, options, 'admin').client.read(SearchProviderView, PATH, {
      method: 'PUT',
      body: { kind: 'searxng', url },
    });
    show(context, options, provider, () => describe(provider));
  });
}

function removeCommand(context: Context): Command {
  const command = new Command('rm').description('takes it back: there is no `web.search` from then on');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const provider = await connect(context, options, 'admin').client.read(SearchProviderView, PATH, {
      method: 'DELETE',
    });
    show(context, options, provider, () => describe(provider));
  });
}
