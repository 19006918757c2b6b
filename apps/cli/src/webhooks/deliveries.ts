// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { Delivery, describeDelivery } from './views.ts';

interface ListOptions extends CommonOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const pathOf = (webhook: string): string => `/v1/webhooks/${encodeURIComponent(webhook)}`;

export function pingCommand(context: Context): Command {
  const command = new Command('ping').description('send a test message').argument('<webhook>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const delivery = await connect(context, options, 'operator').client.read(Delivery, `${pathOf(id)}/ping`, {
      method: 'POST',
      body: {},
    });
    show(
      context,
      options,
      delivery,
      () => `${describeDelivery(delivery)}\nsee what became of it: writ webhooks deliveries ${id}`,
    );
  });
}

export function deliveriesCommand(context: Context): Command {
  const command = new Command('deliveries')
    .description('sent and pending messages')
    .argument('<webhook>')
    .option('--state <state>', 'pending, delivered or failed')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, Delivery, `${pathOf(id)}/deliveries`, {
      state: options.state,
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      momentOf(each.created_at),
      each.delivery_id,
      each.kind,
      each.state,
      String(each.attempts),
      each.next_at === null ? '' : momentOf(each.next_at),
      each.last_error ?? (each.last_status === null ? '' : String(each.last_status)),
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ webhooks deliveries ${id} --cursor ${list.next_cursor}`;
    show(context, options, list, () =>
      rows.length === 0
        ? 'nothing was sent'
        : `${tableOf(['told', 'delivery', 'kind', 'state', 'attempts', 'next', 'last'], rows)}${more}`,
    );
  });
}

export function redeliverCommand(context: Context): Command {
  const command = new Command('redeliver')
    .description('send a message again, with the same id')
    .argument('<webhook>')
    .argument('<delivery>');
  return command.action(async (id: string, delivery: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const sent = await connect(context, options, 'operator').client.read(
      Delivery,
      `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`,
      { method: 'POST', body: {} },
    );
    show(context, options, sent, () => describeDelivery(sent));
  });
}
