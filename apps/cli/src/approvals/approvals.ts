// SPDX-License-Identifier: Apache-2.0
import { ApprovalDiff, ApprovalView, OperationView, VALUE_SCOPES, type ValueScope } from '@writ/contract';
import { Command, Option } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { delegateCommand, delegationsCommand, undelegateCommand } from './delegations.ts';
import { groupsCommand, selectionOf, withSelection, type SelectionOptions } from './queue.ts';
import { describe, describeDiff } from '../describe-approval.ts';
import { votesOf } from '../describe-result.ts';
import { CliError, usage } from '../cli-error.ts';
import { parsePeriod } from '../period.ts';
import { readJsonOption } from '../read-json.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface ListOptions extends SelectionOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly order?: string;
}

const LIST_ROWS = 50;

/** `writ approvals`. Operators decide: nobody approves their own call. */
export function approvalsCommand(context: Context): Command {
  return new Command('approval')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(groupsCommand(context))
    .addCommand(showCommand(context))
    .addCommand(
      decideCommand(context, 'approve', 'let the call run, or commit the effect that was shown')
        .option(
          '--effect <digest>',
          'the digest of the effect that you saw (`show` prints it); by default the effect is shown, and you are asked',
        )
        .option('--for-session', 'also approve like calls of the same session, under a child of its token')
        .option('--uses <n>', 'how many further calls', parseCount)
        .option('--ttl <period>', 'for how long, such as 30m'),
    )
    .addCommand(editCommand(context))
    .addCommand(supplyValueCommand(context))
    .addCommand(decideCommand(context, 'deny', 'end the call; the agent receives the comment'))
    .addCommand(delegateCommand(context))
    .addCommand(delegationsCommand(context))
    .addCommand(undelegateCommand(context));
}

function listCommand(context: Context): Command {
  const command = withSelection(new Command('list').description('pending approvals, newest first'))
    .option('--state <state>', 'pending, approved, denied, expired, cancelled or all', 'pending')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--order <order>', 'newest, oldest, or of pending ones expires or risk')
    .option('--cursor <text>', 'cursor of the page to show; repeat the filters and the order');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ApprovalView, '/v1/approvals', {
      state: options.state === 'all' ? undefined : options.state,
      limit: options.limit,
      cursor: options.cursor,
      order: options.order,
      ...selectionOf(options),
    });
    const rows = list.items.map((each) => [
      momentOf(each.created_at),
      each.approval_id,
      each.tool_id,
      each.state,
      votesOf(each.votes),
      each.reasons.map(({ message }) => message).join('; '),
    ]);
    show(context, options, list, () =>
      rows.length === 0 ? 'no approvals' : tableOf(['held', 'approval', 'tool', 'state', 'votes', 'why'], rows),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb()
    .description('the call, the effect of its preview, and why it is held')
    .argument('<approval>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const shown = await readApproval(connect(context, options, 'operator').client, id);
    show(context, options, { ...shown.approval, diff: shown.diff }, () => textOf(shown));
  });
}

interface ShownApproval {
  readonly approval: ApprovalView;
  readonly diff: ApprovalDiff | null;
}

/** The diff needs a staged effect and a key that may decide. Without it, the approval is shown alone. */
async function readApproval(client: Client, id: string): Promise<ShownApproval> {
  const approval = await client.read(ApprovalView, `/v1/approvals/${encodeURIComponent(id)}`);
  const diff =
    approval.preview.changes === null
      ? null
      : await client.read(ApprovalDiff, `/v1/approvals/${encodeURIComponent(id)}/diff`);
  return { approval, diff };
}

const textOf = ({ approval, diff }: ShownApproval): string =>
  [describe(approval), ...(diff === null ? [] : [describeDiff(diff)])].join('\n\n');

/**
 * The effect that an approval covers: the one that the person was shown, not the one that is current. Undefined for an
 * approval of the action.
 * @throws CliError `approval.effect_unseen` without a terminal, `not_confirmed` where the person declines
 */
async function confirmEffect(context: Context, client: Client, id: string): Promise<string | undefined> {
  const shown = await readApproval(client, id);
  const {
    state,
    binding: { effect_digest: digest },
  } = shown.approval;
  if (digest === null) return undefined;
  // The approval is already decided, so the API returns that decision.
  if (state !== 'pending') return digest;
  if (context.confirm === null) {
    context.writeError(`${textOf(shown)}\n\n`);
    throw new CliError(
      'approval.effect_unseen',
      `nothing was approved: read what the call does, then name its effect with \`--effect ${digest}\``,
    );
  }
  if (!(await context.confirm(`${textOf(shown)}\n\nA yes commits exactly this effect.`)))
    throw new CliError('not_confirmed', 'nothing was approved');
  return digest;
}

function decideCommand(context: Context, verb: 'approve' | 'deny', summary: string): Command {
  const command = new Command(verb)
    .description(summary)
    .argument('<approval>')
    .option('--comment <text>', 'a comment for the record')
    .option('--delegation <id>', 'decide by a delegation; the decision counts as the one of its lender');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<DecideOptions>();
    const { client } = connect(context, options, 'operator');
    const session = sessionOf(options);
    const effect = verb === 'approve' ? (options.effect ?? (await confirmEffect(context, client, id))) : undefined;
    const body = { comment: options.comment, effect_digest: effect, delegation_id: options.delegation, ...session };
    const operation = await client.read(OperationView, `/v1/approvals/${encodeURIComponent(id)}/${verb}`, {
      method: 'POST',
      body,
    });
    show(context, options, operation, () =>
      fieldsOf({
        operation: operation.operation_id,
        state: operation.state,
        tool: operation.tool_id,
        votes: operation.votes === undefined ? null : votesOf(operation.votes),
        session: operation.reasons.find(({ code }) => code === 'approval.session')?.message,
      }),
    );
  });
}

interface DecideOptions extends CommonOptions {
  readonly comment?: string;
  readonly effect?: string;
  readonly delegation?: string;
  readonly forSession?: boolean;
  readonly uses?: number;
  readonly ttl?: string;
}

/**
 * The part of the request about the session. The API chooses the number of calls and the period unless they are given.
 * @throws CliError `usage`
 */
function sessionOf({ forSession, uses, ttl }: DecideOptions): { scope?: 'session'; uses?: number; ttl_ms?: number } {
  if (forSession !== true && (uses !== undefined || ttl !== undefined))
    throw usage('`--uses` and `--ttl` need `--for-session`');
  return forSession === true
    ? {
        scope: 'session',
        ...(uses === undefined ? {} : { uses }),
        ...(ttl === undefined ? {} : { ttl_ms: parsePeriod('--ttl', ttl) }),
      }
    : {};
}

function supplyValueCommand(context: Context): Command {
  const command = new Command('give')
    .description('supply the value that the call waits for: typed without echo, or from standard input')
    .argument('<approval>')
    .addOption(new Option('--scope <scope>', 'who may use the value').choices(VALUE_SCOPES).default('once'))
    .option('--note <text>', 'a note for a value that is stored')
    .option('--comment <text>', 'a comment for the record');
  return command.action(async (id: string) => {
    const { scope, note, comment, ...common } = command.optsWithGlobals<
      CommonOptions & { scope: ValueScope; note?: string; comment?: string }
    >();
    const { client } = connect(context, common, 'operator');
    const value = await context.readHidden('value (not shown): ');
    if (value === '') throw usage('a value is needed: type it, or send it on standard input');
    const operation = await client.read(OperationView, `/v1/approvals/${encodeURIComponent(id)}/value`, {
      method: 'POST',
      body: { value, scope, note, comment },
    });
    show(context, common, operation, () =>
      fieldsOf({ operation: operation.operation_id, state: operation.state, tool: operation.tool_id }),
    );
  });
}

function editCommand(context: Context): Command {
  const command = new Command('edit')
    .description('end the call, and propose it again with other arguments')
    .argument('<approval>')
    .requiredOption('--args <json>', 'the complete arguments: JSON, @FILE or -')
    .option('--comment <text>', 'a comment for the agent and the record');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { comment?: string; args: string }>();
    const body = { args: await readJsonOption(context, '--args', options.args), comment: options.comment };
    const operation = await connect(context, options, 'operator').client.read(
      OperationView,
      `/v1/approvals/${encodeURIComponent(id)}/edit`,
      { method: 'POST', body },
    );
    show(context, options, operation, () =>
      fieldsOf({
        operation: operation.operation_id,
        state: operation.state,
        tool: operation.tool_id,
        approval: operation.approval_id,
      }),
    );
  });
}
