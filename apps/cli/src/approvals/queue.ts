// SPDX-License-Identifier: Apache-2.0
// Options that select approvals, and the groups of those that are alike.
import { APPROVAL_GROUPS_MAX, ApprovalGroups } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { momentBefore, parsePeriod } from '../period.ts';
import { momentOf, tableOf } from '../terminal.ts';

export interface SelectionOptions extends CommonOptions {
  readonly mine?: true;
  readonly tool?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly mode?: string;
  readonly group?: string;
  readonly person?: string;
  readonly riskMin?: string;
  readonly since?: string;
  readonly until?: string;
  readonly expiresIn?: string;
  readonly alike?: string;
}

/** Adds the options that select approvals. */
export const withSelection = (command: Command): Command =>
  command
    .option('--mine', 'only those that you may decide now: of your role and groups, and not of your own calls')
    .option('--tool <id>', 'the tool; with `*` at its end, all whose names begin so')
    .option('--agent <id>')
    .option('--session <id>')
    .option('--mode <mode>', 'soft_gate or escalated')
    .option('--group <name>', 'an approver group that may decide')
    .option('--person <id>', 'on whose behalf the call is made, `per_…`')
    .option('--risk-min <score>', '0 to 1')
    .option('--since <when>', 'held since a moment such as 2026-01-31T09:30:00Z, or a period before now such as 12h')
    .option('--until <when>', 'the end of the range, exclusive; likewise')
    .option('--expires-in <period>', 'those that expire within a period such as 2h')
    .option('--alike <key>', 'one group, by its key from `writ approval groups`');

/** The parameters of these options, with the API's names. @throws CliError `usage` */
export const selectionOf = (options: SelectionOptions): Readonly<Record<string, string | undefined>> => ({
  mine: options.mine === true ? 'true' : undefined,
  tool_id: options.tool,
  agent_id: options.agent,
  session_id: options.session,
  autonomy_mode: options.mode,
  group: options.group,
  person_id: options.person,
  risk_min: options.riskMin,
  since: momentBefore('--since', options.since),
  until: momentBefore('--until', options.until),
  expires_before:
    options.expiresIn === undefined
      ? undefined
      : new Date(Date.now() + parsePeriod('--expires-in', options.expiresIn)).toISOString(),
  alike: options.alike,
});

/** `writ approval groups`. */
export function groupsCommand(context: Context): Command {
  const command = withSelection(
    new Command('groups').description('pending approvals of alike calls, counted: the largest groups first'),
  ).option('--order <order>', 'count, or expires: the group first of which a call expires first');
  return command.action(async () => {
    const options = command.optsWithGlobals<SelectionOptions & { readonly order?: string }>();
    const path = `/v1/approvals/groups${queryOf({ ...selectionOf(options), order: options.order })}`;
    const groups = await connect(context, options, 'operator').client.read(ApprovalGroups, path);
    show(context, options, groups, () => describe(groups));
  });
}

function describe({ items, waiting, groups, complete }: ApprovalGroups): string {
  if (items.length === 0) return 'no approvals';
  const rows = items.map((each) => [
    String(each.count),
    each.tool_id,
    each.agent_id,
    each.autonomy_mode,
    String(each.risk_score),
    momentOf(each.created_at),
    momentOf(each.expires_at),
    each.reason_codes.join(', '),
    each.alike,
  ]);
  const head = ['calls', 'tool', 'agent', 'mode', 'risk', 'oldest', 'first expires', 'held for', 'key'];
  const more = groups > items.length ? `; the first ${APPROVAL_GROUPS_MAX} groups of ${groups}` : '';
  const rest = complete ? '' : '; more wait than were counted';
  return `${tableOf(head, rows)}\n${waiting} calls wait${more}${rest}`;
}
