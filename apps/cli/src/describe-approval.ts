// SPDX-License-Identifier: Apache-2.0
import type { ApprovalDiff, ApprovalView, FileDiff, VoteView } from '@writ/contract';
import { votesOf } from './describe-result.ts';
import { fieldsOf, momentOf, paint } from './terminal.ts';
import { visible, visibleLine } from './visible.ts';
import { describeStart } from './describe-start.ts';
import { describeYou } from './describe-you.ts';

const APPROVAL_KINDS = {
  action: 'the action: it runs after approval, and its effect is checked then',
  value: 'a value: `writ approvals give` gives one, `deny` ends the call',
  effect: 'exactly the effect below: approving commits it, and nothing runs again',
} as const;
const PREVIEWS: Readonly<Record<ApprovalView['preview']['state'], string>> = {
  none: 'none',
  waiting: 'waits for an executor',
  running: 'runs',
  ready: 'ran',
  failed: 'ran, and would not commit',
  abandoned: 'not finished: the call was decided before',
};

/** The details that an approver needs, for a terminal. */
export function describe(approval: ApprovalView): string {
  const { preview, binding } = approval;
  return fieldsOf({
    approval: approval.approval_id,
    state: approval.state,
    'would run': `${approval.tool_id}\n${JSON.stringify(approval.args, null, 2)}`,
    why: approval.reasons.map(({ code, message }) => `${code}: ${message}`).join('\n'),
    supervision: approval.autonomy_mode,
    'approval of': APPROVAL_KINDS[approval.of],
    preview: `${PREVIEWS[preview.state]}${preview.round > 1 ? ', once more' : ''}${preview.why === null ? '' : `: ${preview.why}`}`,
    'would ask for': preview.would_ask_for.map(({ kind, what }) => `${kind} ${what}`).join('\n'),
    'exit status': preview.exit_code,
    output: outputOf(preview.output),
    effect: binding.effect_digest,
    votes: votesOf(approval.votes),
    'reserved for': (approval.groups ?? []).map(demandLine).join('\n'),
    'escalated to': (approval.escalated_to ?? []).join(' '),
    escalates: approval.escalates_at === undefined ? null : momentOf(approval.escalates_at),
    voted: approval.voted.map(votedLine).join('\n'),
    ...(approval.you === undefined ? {} : { you: describeYou(approval.you, approval.state === 'pending') }),
    agent: approval.agent_id,
    'started by': approval.started_by === undefined ? null : describeStart(approval.started_by),
    operation: approval.operation_id,
    held: momentOf(approval.created_at),
    expires: momentOf(approval.expires_at),
    decided: approval.decided_at === null ? null : `${momentOf(approval.decided_at)} by ${approval.decided_by ?? '?'}`,
    comment: approval.comment,
    'session token': approval.session_token_id,
  });
}

const demandLine = ({ any_of, count, given }: NonNullable<ApprovalView['groups']>[number]): string =>
  `${String(given)} of ${String(count)} of ${any_of.join(' or ')}`;

function votedLine({ says, principal, cast_as, created_at, stands, comment }: VoteView): string {
  const by = principal === cast_as ? principal : `${cast_as} for ${principal}`;
  const vote = says === 'deny' ? 'denied' : stands ? 'approved' : "approved something else, which doesn't count";
  return visibleLine(`${momentOf(created_at)} ${by} ${vote}${comment === null ? '' : `: ${comment}`}`);
}

/** A command's output unchanged; another tool's result as JSON. */
function outputOf(result: unknown): string | null {
  if (result === null || result === undefined) return null;
  const { output } = result as { output?: unknown };
  return typeof output === 'string' ? output : JSON.stringify(result, null, 2);
}

/** The changes of a call, file by file. All of it is attacker-controlled. */
export function describeDiff({ files, files_total }: Pick<ApprovalDiff, 'files' | 'files_total'>): string {
  if (files_total === 0) return 'the call would change nothing';
  const sum = (pick: (file: FileDiff) => number | null): number =>
    files.reduce((all, file) => all + (pick(file) ?? 0), 0);
  const head = `${files_total} ${files_total === 1 ? 'path' : 'paths'} changed, ${paint.green(`+${sum((file) => file.added_lines)}`)} ${paint.red(`-${sum((file) => file.removed_lines)}`)}`;
  return [
    head,
    ...files.map(fileText),
    ...(files_total > files.length ? [`and ${files_total - files.length} more`] : []),
  ].join('\n');
}

const MARKS = { added: paint.green('A'), deleted: paint.red('D'), modified: paint.yellow('M') } as const;
const NO_TEXT_REASONS = { binary: 'not text', too_long: 'too long to show', not_a_file: 'not a file' } as const;

function fileText({
  path,
  change,
  text,
  why_no_text: why,
  before,
  after,
  added_lines: added,
  removed_lines: removed,
}: FileDiff): string {
  const modes =
    before?.mode !== after?.mode && before !== null && after !== null
      ? ` mode ${before.mode ?? before.kind} → ${after.mode ?? after.kind}`
      : '';
  const head = `${MARKS[change]} ${visibleLine(path)}${modes}`;
  if (text === null)
    return `${head}  ${paint.dim(`${why === null ? 'no text' : NO_TEXT_REASONS[why]}, ${before?.size ?? 0} → ${after?.size ?? 0} bytes`)}`;
  return [
    `${head}  ${paint.dim(`+${added ?? 0} -${removed ?? 0}`)}`,
    ...visible(text).trimEnd().split('\n').map(paintDiffLine),
  ].join('\n');
}

function paintDiffLine(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return paint.green(line);
  if (line.startsWith('-') && !line.startsWith('---')) return paint.red(line);
  return line.startsWith('@@') ? paint.cyan(line) : line;
}
