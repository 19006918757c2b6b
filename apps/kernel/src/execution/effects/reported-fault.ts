// SPDX-License-Identifier: Apache-2.0
import {
  isFaultCode,
  isTaskTool,
  MK8_RUN,
  SHELL_DANGEROUS,
  SKILL_READ,
  type FaultCode,
  type ReportRequest,
  type ToolDefinition,
} from '@writ/contract';
import { FILE_TOOL_FAULTS } from '@writ/workspace';
import { endingFault, type EndingFault } from '../outcomes/index.ts';

/** Longest message of a tool that is passed on; the reason schema's bound. */
const MESSAGE_CHARS_MAX = 2048;

/** What a tool that reaches outside may say of it. */
const EGRESS_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['egress.refused', 'egress.failed', 'token.scope']);

const ENDED_BY: Readonly<Record<Exclude<ReportRequest['ended'], 'exited' | 'failed'>, FaultCode>> = {
  timeout: 'command.timeout',
  killed: 'command.killed',
  limit: 'limit.exceeded',
  invalid: 'effect.invalid',
};

const SESSION_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'session.lost',
  'session.diverged',
  'session.busy',
  'session.idle',
  'session.conflict',
  'sandbox.unavailable',
  'workspace.conflict',
]);
/** A session has as many tasks as it may, or not the one that is named. */
const TASK_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['task.unknown', 'limit.exceeded']);

/** The tenant has no such skill, or the skill no such file. */
const SKILL_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['skill.unknown']);

/** The image has no such shell, or git would have been made to run something else. */
const RAW_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['shell.unavailable']);

function toolFaults({ tool_id, session }: Pick<ToolDefinition, 'tool_id' | 'session'>): ReadonlySet<FaultCode> {
  if (session === true) return SESSION_FAULTS;
  if (tool_id === SHELL_DANGEROUS.tool_id) return RAW_FAULTS;
  if (tool_id === SKILL_READ.tool_id) return SKILL_FAULTS;
  return isTaskTool(tool_id) ? TASK_FAULTS : FILE_TOOL_FAULTS;
}

/**
 * Why a reported attempt can't commit, or null when it may. A non-zero exit counts as failure unless the call asked to
 * keep what was done (`on_failure: keep`); timeout, kill and limit always do, and so does a shell that a signal ended:
 * it has no exit status.
 */
export function reportedFault(
  { ended, exit_code, error, usage }: ReportRequest,
  tool: Pick<ToolDefinition, 'tool_id' | 'class' | 'session' | 'cli'>,
  args: Readonly<Record<string, unknown>>,
): EndingFault | null {
  // A record that repeated it would vouch for a count that nobody made.
  if (usage.counted_by !== undefined && tool.class !== 'sandboxed')
    return endingFault('effect.invalid', 'the call ran in no sandbox, and says who counted its usage in one');
  // A session stages what differs at its prompt, whatever the status of the command.
  if (ended === 'exited' && tool.session === true) return null;
  if (ended === 'exited') {
    if (exit_code === null)
      return tool.class !== 'sandboxed'
        ? null
        : endingFault('command.killed', 'the command was ended by a signal', 'its changes were rolled back');
    // Of a tenant's tool it would be a parameter that only happens to be called so.
    if (exit_code === 0 || (tool.cli === undefined && args['on_failure'] === 'keep')) return null;
    if (tool.tool_id === MK8_RUN.tool_id)
      return endingFault(
        'command.failed',
        'the script failed',
        'its changes were rolled back; the result says which step failed, and `onFailure` or the failure mode `ContinueOnError` would go on',
      );
    return endingFault(
      'command.failed',
      `the command ended with exit status ${exit_code}`,
      'its changes were rolled back; `on_failure: keep` keeps them',
    );
  }
  if (ended === 'invalid' && error?.code === 'secret.in_delta')
    return endingFault('secret.in_delta', cut(error.message), cut(error.hint));
  if (ended !== 'failed') return endingFault(ENDED_BY[ended], cut(error?.message), cut(error?.hint));
  // A tool may say only what tools say: the kernel's own words, such as a denial, would stand in a signed record as the
  // kernel's.
  const mayBeSaid = (code: FaultCode): boolean =>
    toolFaults(tool).has(code) || (tool.class === 'broker' && EGRESS_FAULTS.has(code));
  if (!isFaultCode(error?.code) || !mayBeSaid(error.code))
    return endingFault('effect.invalid', 'the tool failed with an unknown code');
  return endingFault(error.code, cut(error.message), cut(error.hint));
}

function cut(text: string | null | undefined): string | null {
  // Postgres takes no NUL in text, and the executor's word is the job's.
  return text === null || text === undefined || text === ''
    ? null
    : text.replaceAll('\0', '').slice(0, MESSAGE_CHARS_MAX).toWellFormed();
}
