// SPDX-License-Identifier: Apache-2.0
import { NOTICE_KINDS } from '@writ/contract';
import { Command } from 'commander';
import type { Static } from 'typebox';
import { usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';
import { deliveriesCommand, pingCommand, redeliverCommand } from './deliveries.ts';
import { describeWebhook, NewWebhook, Webhook } from './views.ts';

interface CreateOptions extends CommonOptions {
  readonly target: string;
  readonly event?: readonly string[];
}

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly target?: string;
  readonly event?: readonly string[];
  readonly enable?: true;
  readonly disable?: true;
}

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const HOUR_MS = 3_600_000;
const pathOf = (id: string): string => `/v1/webhooks/${encodeURIComponent(id)}`;
const collect = (one: string, before: readonly string[] = []): string[] => [...before, one];

/** `writ webhooks`. */
export function webhooksCommand(context: Context): Command {
  return new Command('webhook')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context))
    .addCommand(updateCommand(context))
    .addCommand(rotateCommand(context))
    .addCommand(deleteOneCommand(context))
    .addCommand(pingCommand(context))
    .addCommand(deliveriesCommand(context))
    .addCommand(redeliverCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('webhooks, and whether messages arrive')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, Webhook, '/v1/webhooks', {
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      each.webhook_id,
      each.name,
      each.url,
      each.state,
      each.disabled_reason ?? (each.failing_since === null ? '' : 'failing'),
    ]);
    show(context, options, list, () =>
      rows.length === 0 ? 'none' : tableOf(['webhook', 'name', 'url', 'state', ''], rows),
    );
  });
}

function createCommand(context: Context): Command {
  const command = new Command('create')
    .description('a new webhook; its secret is shown once')
    .argument('<name>')
    .requiredOption('--target <url>', 'where messages go: https, at a public address')
    .option('--event <kind>', 'a kind of event to send; may be repeated; all kinds by default', collect);
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CreateOptions>();
    const body = { name, url: options.target, events: options.event ?? [...NOTICE_KINDS, 'run.finished'] };
    const webhook = await connect(context, options, 'admin').client.read(NewWebhook, '/v1/webhooks', {
      method: 'POST',
      body,
    });
    show(context, options, webhook, () => withSecret(webhook));
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one webhook').argument('<webhook>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const webhook = await connect(context, options, 'admin').client.read(Webhook, pathOf(id));
    show(context, options, webhook, () => describeWebhook(webhook));
  });
}

function updateCommand(context: Context): Command {
  const command = new Command('update')
    .description('change a webhook; settings that are not given stay')
    .argument('<webhook>')
    .option('--name <name>')
    .option('--target <url>')
    .option('--event <kind>', 'a kind of event; may be repeated; replaces the previous list', collect)
    .option('--enable', 'deliver again, beginning with waiting messages')
    .option('--disable', 'deliver nothing for now');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<UpdateOptions>();
    if (options.enable === true && options.disable === true)
      throw usage('`--enable` and `--disable` exclude each other');
    const { client } = connect(context, options, 'admin');
    const { name, url, events, state } = await client.read(Webhook, pathOf(id));
    const body = {
      name: options.name ?? name,
      url: options.target ?? url,
      events: options.event ?? events,
      state: options.enable === true ? 'active' : options.disable === true ? 'disabled' : state,
    };
    const webhook = await client.read(Webhook, pathOf(id), { method: 'PUT', body });
    show(context, options, webhook, () => describeWebhook(webhook));
  });
}

function rotateCommand(context: Context): Command {
  const command = new Command('rotate-secret')
    .description('a new secret; for a while messages are signed with the old one too')
    .argument('<webhook>')
    .option('--overlap-hours <n>', 'how long the old secret signs too; 24 by default', parseCount);
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { overlapHours?: number }>();
    const body = options.overlapHours === undefined ? {} : { overlap_ms: options.overlapHours * HOUR_MS };
    const webhook = await connect(context, options, 'admin').client.read(NewWebhook, `${pathOf(id)}/secret`, {
      method: 'POST',
      body,
    });
    show(context, options, webhook, () => withSecret(webhook));
  });
}

function deleteOneCommand(context: Context): Command {
  const command = deleteCommand().description('delete a webhook, with its undelivered messages').argument('<webhook>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const webhook = await connect(context, options, 'admin').client.read(Webhook, pathOf(id), { method: 'DELETE' });
    show(context, options, webhook, () => `${webhook.webhook_id} deleted`);
  });
}

function withSecret(webhook: Static<typeof NewWebhook>): string {
  return `${fieldsOf({ secret: webhook.secret })}\n${describeWebhook(webhook)}`;
}
