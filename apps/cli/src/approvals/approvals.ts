// SPDX-License-Identifier: Apache-2.0
import { ApprovalDiff, ApprovalView, OperationView, VALUE_SCOPES, type ValueScope } from '@writ/contract';
import { Command, Option } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { delegateCommand, delegationsCommand, undelegateCommand } from './delegations.ts';
import { describe, describeDiff } from '../describe-approval.ts';
import { votesOf } from '../describe-result.ts';
import { CliError, usage } from '../cli-error.ts';
import { parsePeriod } from '../period.ts';
import { readJsonOption } from '../read-json.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

interface ListOptions extends CommonOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ approvals`. Decisions are the operator's: nobody approves their own call. */
export function approvalsCommand(context: Context): Command {
  return new Command('approvals')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(
      decideCommand(context, 'approve', 'let it run, or commit the effect that was shown')
        .option(
          '--effect <digest>',
          'the effect that you saw: `show` names it. Unless said, the effect is shown, and you are asked',
        )
        .option('--for-session', 'also calls like it in the same session: under a child of its token')
        .option('--uses <n>', 'how many calls more', parseCount)
        .option('--ttl <period>', 'for how long, such as 30m'),
    )
    .addCommand(editCommand(context))
    .addCommand(giveCommand(context))
    .addCommand(decideCommand(context, 'deny', 'end it; the agent is told the comment'))
    .addCommand(delegateCommand(context))
    .addCommand(delegationsCommand(context))
    .addCommand(undelegateCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('what waits, the newest first')
    .option('--state <state>', 'pending, approved, denied, expired, cancelled or all', 'pending')
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ApprovalView, '/v1/approvals', {
      state: options.state === 'all' ? undefined : options.state,
      limit: options.limit,
      cursor: options.cursor,
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
      rows.length === 0 ? 'nothing waits' : tableOf(['held', 'approval', 'tool', 'state', 'votes', 'why'], rows),
    );
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show')
    .description('what would run and what it did in a preview, and why it waits')
    .argument('<approval>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const looked = await lookAt(connect(context, options, 'operator').client, id);
    show(context, options, { ...looked.approval, diff: looked.diff }, () => textOf(looked));
  });
}

interface Looked {
  readonly approval: ApprovalView;
  readonly diff: ApprovalDiff | null;
}

/** The diff is there for who may decide, and for an effect that is staged; a look at an approval works without. */
async function lookAt(client: Client, id: string): Promise<Looked> {
  const approval = await client.read(ApprovalView, `/v1/approvals/${encodeURIComponent(id)}`);
  const diff =
    approval.preview.changes === null
      ? null
      : await client.read(ApprovalDiff, `/v1/approvals/${encodeURIComponent(id)}/diff`);
  return { approval, diff };
}

const textOf = ({ approval, diff }: Looked): string =>
  [describe(approval), ...(diff === null ? [] : [describeDiff(diff)])].join('\n\n');

/**
 * The effect that a yes is for: what a person was shown, never what is merely there. Undefined for an approval of the
 * action.
 * @throws CliError `approval.effect_unseen` where nobody can be asked, `not_confirmed` where somebody says no
 */
async function seenEffect(context: Context, client: Client, id: string): Promise<string | undefined> {
  const looked = await lookAt(client, id);
  const {
    state,
    binding: { effect_digest: digest },
  } = looked.approval;
  if (digest === null) return undefined;
  // Nothing is decided any more: the API says what was.
  if (state !== 'pending') return digest;
  if (context.confirm === null) {
    context.complain(`${textOf(looked)}\n\n`);
    throw new CliError(
      'approval.effect_unseen',
      `nothing was approved: read what the call does, then say which effect you mean with \`--effect ${digest}\``,
    );
  }
  if (!(await context.confirm(`${textOf(looked)}\n\nA yes commits exactly this effect.`)))
    throw new CliError('not_confirmed', 'nothing was approved');
  return digest;
}

function decideCommand(context: Context, verb: 'approve' | 'deny', summary: string): Command {
  const command = new Command(verb)
    .description(summary)
    .argument('<approval>')
    .option('--comment <text>', 'for those who read it later')
    .option('--delegation <id>', "by a right that was lent to you; it counts as its lender's");
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<DecideOptions>();
    const { client } = connect(context, options, 'operator');
    const session = sessionOf(options);
    const effect = verb === 'approve' ? (options.effect ?? (await seenEffect(context, client, id))) : undefined;
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
 * What the API is told of the session. How many calls, and for how long, is left to it unless said.
 * @throws CliError `usage`
 */
function sessionOf({ forSession, uses, ttl }: DecideOptions): { scope?: 'session'; uses?: number; ttl_ms?: number } {
  if (forSession !== true && (uses !== undefined || ttl !== undefined))
    throw usage('`--uses` and `--ttl` are of `--for-session`');
  return forSession === true
    ? {
        scope: 'session',
        ...(uses === undefined ? {} : { uses }),
        ...(ttl === undefined ? {} : { ttl_ms: parsePeriod('--ttl', ttl) }),
      }
    : {};
}

function giveCommand(context: Context): Command {
  const command = new Command('give')
    .description('give it the value that it waits for: typed unseen, or from standard input')
    .argument('<approval>')
    .addOption(new Option('--scope <scope>', 'how far it reaches').choices(VALUE_SCOPES).default('once'))
    .option('--note <text>', 'of a value that is stored')
    .option('--comment <text>', 'for those who read it later');
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
    .description('end it, and propose the call anew with other arguments')
    .argument('<approval>')
    .requiredOption('--args <json>', 'the arguments, whole: JSON, @FILE or -')
    .option('--comment <text>', 'for the agent, and those who read it later');
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
