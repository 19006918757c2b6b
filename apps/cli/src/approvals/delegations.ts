// SPDX-License-Identifier: Apache-2.0
import { DelegationView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

interface LendOptions extends CommonOptions {
  readonly for: number;
  readonly note: string;
  readonly tool?: string[];
  readonly agent?: string;
  readonly escalated?: boolean;
}

const LIST_ROWS = 50;
const ROUTE = '/v1/approvals/delegations';

/** `writ approvals delegate`: what somebody else decides by it counts as one's own. */
export function delegateCommand(context: Context): Command {
  const command = new Command('delegate')
    .description('lend your right to approve to somebody for a while')
    .argument('<person>', 'the name that their keys have, or the id of one without')
    .requiredOption('--for <period>', 'until when: 8h, 5d; 30d at most', (text: string) => parsePeriod('--for', text))
    .requiredOption('--note <text>', 'why')
    .option('--tool <pattern...>', 'only for these tools: ids and globs')
    .option('--agent <id>', 'only for calls of this agent')
    .option('--escalated', 'for what takes an administrator too');
  return command.action(async (to: string) => {
    const options = command.optsWithGlobals<LendOptions>();
    const body = {
      to,
      note: options.note,
      expires_at: Date.now() + options.for,
      tools: options.tool,
      agent_id: options.agent,
      autonomy_mode: options.escalated === true ? 'escalated' : 'soft_gate',
    };
    const made = await connect(context, options, 'operator').client.read(DelegationView, ROUTE, {
      method: 'POST',
      body,
    });
    show(context, options, made, () => describe(made));
  });
}

/** `writ approvals delegations`. */
export function delegationsCommand(context: Context): Command {
  const command = new Command('delegations')
    .description('who may approve for whom, the newest first')
    .option('--all', 'those that are over too')
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & { all?: boolean; limit?: number; cursor?: string }>();
    const list = await readList(connect(context, options, 'operator').client, DelegationView, ROUTE, {
      standing: options.all === true ? undefined : 'true',
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      each.delegation_id,
      each.from,
      each.to,
      each.role,
      each.state,
      momentOf(each.expires_at),
      visibleLine(each.note),
    ]);
    show(context, options, list, () =>
      rows.length === 0
        ? 'nobody approves for anybody else'
        : tableOf(['delegation', 'from', 'to', 'right', 'state', 'until', 'why'], rows),
    );
  });
}

/** `writ approvals undelegate`. */
export function undelegateCommand(context: Context): Command {
  const command = new Command('undelegate')
    .description('take a delegation back; its votes count no more where the approval is pending')
    .argument('<delegation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const over = await connect(context, options, 'operator').client.read(
      DelegationView,
      `${ROUTE}/${encodeURIComponent(id)}`,
      { method: 'DELETE' },
    );
    show(context, options, over, () => describe(over));
  });
}

function describe({ delegation_id, from, to, role, scope, state, expires_at }: DelegationView): string {
  return fieldsOf({
    delegation: delegation_id,
    state,
    from,
    to,
    right: role,
    tools: scope.tools === null ? 'all' : scope.tools.join(' '),
    agent: scope.agent_id,
    supervision: scope.autonomy_mode === 'escalated' ? 'all, escalated too' : 'soft_gate',
    until: momentOf(expires_at),
  });
}
