// SPDX-License-Identifier: Apache-2.0
import { FreezeView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect, type KeyHolder } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface PlaceOptions extends CommonOptions {
  readonly reason: string;
  readonly for?: string;
}

interface ListOptions extends CommonOptions {
  readonly all?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ freeze`: once the command has returned, no call in the scope is admitted, and none commits. */
export function freezeCommand(context: Context): Command {
  return new Command('freeze')
    .addCommand(placeCommand(context, 'tenant', 'stop every call of your tenant'))
    .addCommand(placeCommand(context, 'agent', 'stop an agent, and the agents below it'))
    .addCommand(placeCommand(context, 'tool', 'stop a tool'))
    .addCommand(placeCommand(context, 'all', 'stop the whole deployment, with the platform key'))
    .addCommand(listCommand(context))
    .addCommand(showCommand(context));
}

/** `writ unfreeze ID`. */
export function unfreezeCommand(context: Context): Command {
  const command = new Command('unfreeze')
    .description('lift a freeze; one of the whole deployment with --as platform')
    .argument('<freeze>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    const freeze = await client.read(FreezeView, `/v1/freezes/${encodeURIComponent(id)}/lift`, {
      method: 'POST',
      body: {},
    });
    show(context, options, freeze, () => describe(freeze));
  });
}

function placeCommand(context: Context, scope: FreezeView['scope'], summary: string): Command {
  const command = new Command(scope).description(summary);
  if (scope === 'agent' || scope === 'tool') command.argument(`<${scope}>`);
  command
    .requiredOption('--reason <text>', 'the reason, which refused callers receive')
    .option('--for <period>', 'how long: 90s, 30m, 12h or 7d; until it is lifted by default');
  const holder: KeyHolder = scope === 'all' ? 'platform' : 'admin';
  return command.action(async (...given: unknown[]) => {
    const options = command.optsWithGlobals<PlaceOptions>();
    const [id] = given;
    const body = {
      scope,
      reason: options.reason,
      ...(typeof id === 'string' ? { id } : {}),
      ...(options.for === undefined ? {} : { expires_at: Date.now() + parsePeriod('--for', options.for) }),
    };
    const { client } = connect(context, options, holder);
    const freeze = await client.read(FreezeView, '/v1/freezes', { method: 'POST', body });
    show(context, options, freeze, () => describe(freeze));
  });
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('freezes in force, newest first')
    .option('--all', 'also those that have ended')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, FreezeView, '/v1/freezes', {
      standing: options.all === true ? undefined : 'true',
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      momentOf(each.created_at),
      each.freeze_id,
      each.scope,
      each.id ?? 'everything',
      each.state,
      each.reason,
    ]);
    show(context, options, list, () =>
      rows.length === 0 ? 'nothing is frozen' : tableOf(['since', 'freeze', 'scope', 'what', 'state', 'why'], rows),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('who stopped what, when and why').argument('<freeze>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const freeze = await connect(context, options, 'admin').client.read(
      FreezeView,
      `/v1/freezes/${encodeURIComponent(id)}`,
    );
    show(context, options, freeze, () => describe(freeze));
  });
}

function describe(freeze: FreezeView): string {
  return fieldsOf({
    freeze: freeze.freeze_id,
    state: freeze.state,
    scope: freeze.scope,
    what: freeze.id ?? 'everything',
    why: freeze.reason,
    since: `${momentOf(freeze.created_at)} by ${freeze.placed_by}`,
    until: freeze.expires_at === null ? 'it is lifted' : momentOf(freeze.expires_at),
    lifted: freeze.lifted_at === null ? null : `${momentOf(freeze.lifted_at)} by ${freeze.lifted_by ?? '?'}`,
  });
}
