// SPDX-License-Identifier: Apache-2.0
import type { OperationView, Reason, ToolResult, VoteCount, FullOutputView } from '@writ/contract';
import { pageOf } from './cli-error.ts';
import { fieldsOf, momentOf } from './terminal.ts';
import { visible } from './visible.ts';

/** The part of a tool's result that a person reads first: text, all else as JSON. */
export function bodyOf(result: unknown): string {
  if (result === null || result === undefined) return '';
  const { content, encoding, output } = result as { content?: unknown; encoding?: unknown; output?: unknown };
  if (typeof output === 'string') return visible(output);
  if (typeof content === 'string' && encoding !== 'base64') return visible(content);
  return visible(JSON.stringify(result, null, 2));
}

/** Reasons of a policy in observe mode are listed apart, since they were not enforced. */
function reasonFields(reasons: readonly Reason[]): { observed: string; reasons: string } {
  const isObserved = ({ code }: Reason): boolean => code === 'policy.observed';
  return {
    observed: reasons
      .filter(isObserved)
      .map(({ message }) => message)
      .join('\n'),
    reasons: reasons
      .filter((reason) => !isObserved(reason))
      .map(({ code, message }) => `${code}: ${message}`)
      .join('\n'),
  };
}

/** Where the full output of a command is, and until when. */
export function describeFullOutput(operationId: string, { stdout, stderr, expires_at }: FullOutputView): string {
  const cut = stdout.cut || stderr.cut ? ', cut' : '';
  const size = `${stdout.bytes} bytes, and ${stderr.bytes} on stderr${cut}`;
  if (expires_at === null) return `${size}; not kept: the tenant's outputs were at their bound`;
  return `${size}, until ${momentOf(expires_at)}; writ operation output ${operationId}`;
}

/**
 * What a command of a session says beside its output. Other commands show it in their JSON; a status of 0 is no news.
 */
function commandFields(result: unknown): { running: boolean | null; 'exit code': number | null } {
  const { output, running, exit_code } = (result ?? {}) as { output?: unknown; running?: unknown; exit_code?: unknown };
  const isShown = typeof output === 'string';
  return {
    running: isShown && running === true ? true : null,
    'exit code': isShown && typeof exit_code === 'number' && exit_code !== 0 ? exit_code : null,
  };
}

/** A result as text: the tool's output, then the decision and the commit. */
export function describeResult(result: ToolResult): string {
  const fields = fieldsOf({
    status: result.status,
    ...commandFields(result.result),
    outcome: result.tx_outcome,
    error: result.error === null ? null : `${result.error.code}: ${result.error.message}`,
    hint: result.error?.hint ?? null,
    see: result.error === null ? null : pageOf(result.error.code),
    ...reasonFields(result.reasons),
    risk: `${result.risk_score} (${result.autonomy_mode})`,
    operation: result.operation_id,
    snapshot: result.new_snapshot_id,
    output: result.whole_output === undefined ? null : describeFullOutput(result.operation_id, result.whole_output),
    receipt: result.receipt === null ? null : `${result.receipt.state}; writ receipt ${result.operation_id}`,
  });
  const body = bodyOf(result.result).trimEnd();
  return body === '' ? fields : `${body}\n\n${fields}`;
}

/** The number of approvals out of those needed. */
export const votesOf = ({ given, needed, role }: VoteCount): string =>
  `${given} of ${needed}${role === 'admin' ? ', administrators' : ''}`;

/**
 * What happens next with a call that has not ended: the next command to run. No command continues a call that its
 * proposer runs, and whoever watched it would wait for nobody.
 */
function nextOf({ operation_id, state, approval_id, awaits }: OperationView): string {
  if (state === 'held' && approval_id !== null) return `writ approval get ${approval_id}`;
  if (awaits === 'caller') return 'its proposer runs it, under a permit; see docs/how-to/functions.md';
  return `writ operation watch ${operation_id}`;
}

/** A call that has not ended, and what happens next. */
export function describeWaiting(operation: OperationView): string {
  const { operation_id, state, reasons, votes } = operation;
  return fieldsOf({
    state,
    votes: votes === undefined ? null : votesOf(votes),
    ...reasonFields(reasons),
    operation: operation_id,
    next: nextOf(operation),
  });
}
