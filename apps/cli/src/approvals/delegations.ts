// SPDX-License-Identifier: Apache-2.0
import { DelegationView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { parsePeriod } from '../period.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';

interface DelegateOptions extends CommonOptions {
  readonly for: number;
  readonly note: string;
  readonly tool?: string[];
  readonly agent?: string;
  readonly escalated?: boolean;
}

const LIST_ROWS = 50;
const ROUTE = '/v1/approvals/delegations';

/** `writ approvals delegate`: a decision under the delegation counts as the lender's own. */
export function delegateCommand(context: Context): Command {
  const command = new Command('delegate')
    .description('let somebody else approve on your behalf for a time')
    .argument('<person>', 'the principal of their keys, or the id of a key without one')
    .requiredOption('--for <period>', 'for how long, such as 8h or 5d; 30d at most', (text: string) =>
      parsePeriod('--for', text),
    )
    .requiredOption('--note <text>', 'why')
    .option('--tool <pattern...>', 'only for these tools: ids and globs')
    .option('--agent <id>', 'only for calls of this agent')
    .option('--escalated', 'also for calls that need an administrator');
  return command.action(async (to: string) => {
    const options = command.optsWithGlobals<DelegateOptions>();
    const body = {
      to,
      note: options.note,
      expires_at: Date.now() + options.for,
      tools: options.tool,
      agent_id: options.agent,
      autonomy_mode: options.escalated === true ? 'escalated' : 'soft_gate',
    };
    const delegation = await connect(context, options, 'operator').client.read(DelegationView, ROUTE, {
      method: 'POST',
      body,
    });
    show(context, options, delegation, () => describe(delegation));
  });
}

/** `writ approvals delegations`. */
export function delegationsCommand(context: Context): Command {
  const command = new Command('delegations')
    .description('who may approve on whose behalf, newest first')
    .option('--all', 'also those that have ended')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
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
        ? 'no delegations'
        : tableOf(['delegation', 'from', 'to', 'right', 'state', 'until', 'why'], rows),
    );
  });
}

/** `writ approvals undelegate`. */
export function undelegateCommand(context: Context): Command {
  const command = new Command('undelegate')
    .description('revoke a delegation; its votes on pending approvals no longer count')
    .argument('<delegation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const revoked = await connect(context, options, 'operator').client.read(
      DelegationView,
      `${ROUTE}/${encodeURIComponent(id)}`,
      { method: 'DELETE' },
    );
    show(context, options, revoked, () => describe(revoked));
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
