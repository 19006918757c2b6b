// SPDX-License-Identifier: Apache-2.0
import {
  AUDIO_TRANSCRIBE,
  CALENDAR_FIND,
  EMAIL_DRAFT,
  EMAIL_FIND,
  isAgentTool,
  isFaultCode,
  isStoreTool,
  isTaskTool,
  MK8_RUN,
  SHELL_DANGEROUS,
  SKILL_READ,
  STORE_REGISTER,
  type FaultCode,
  type ReportRequest,
  type ToolDefinition,
} from '@writ/contract';
import { FILE_TOOL_FAULTS } from '@writ/workspace';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { outcomeFault, type OutcomeFault } from '../outcomes/index.ts';

/** The longest message of a tool that is forwarded; the reason schema's bound. */
const MESSAGE_CHARS_MAX = 2048;

/** Faults that a tool with egress may report. */
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
  // Secrets that can't be passed on.
  'limit.exceeded',
  'args.invalid',
]);
/** The API answered with a status of 4xx; or with another that is no success. */
const API_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['api.refused', 'api.failed']);
/** What an executor finds before a call of a tool of an MCP server is sent, and what the server makes of it. */
const MCP_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'args.invalid',
  'limit.exceeded',
  'mcp.busy',
  'mcp.definition_changed',
  'mcp.definition_gone',
  'mcp.failed',
  'mcp.protocol',
  'mcp.refused',
  'mcp.result_invalid',
  'mcp.unreachable',
  'mcp.unsupported',
]);
/** A session has as many tasks as it may, or doesn't have the one that is named. */
const TASK_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['task.unknown', 'limit.exceeded']);

/** The agent is not in the state that the call changes. */
const AGENT_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['agent.conflict']);

/** The tenant has no such skill, or the skill no such file. */
const SKILL_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['skill.unknown']);

/** The calendar or its server does not do what it is asked, or the kernel took other arguments for valid. */
const CALENDAR_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'calendar.unusable',
  'calendar.refused',
  'calendar.unreadable',
  'args.invalid',
]);
const MAILBOX_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'mailbox.unusable',
  'mailbox.refused',
  'mailbox.not_private',
  'mailbox.folder_unknown',
  'mailbox.unreadable',
]);

/** The image has no such shell, or git would have been made to run something else. */
const RAW_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>(['shell.unavailable']);

/**
 * There is no model for the vectors, they don't fit the store, the store outside refuses the arguments, or too many
 * searches of the tenant wait.
 */
const STORE_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'store.unavailable',
  'store.mismatch',
  'args.invalid',
  'limit.exceeded',
  'overloaded',
]);

/** Audio that no engine hears, an engine that fails, and a file that is none. */
const TRANSCRIPTION_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'args.invalid',
  'audio.too_long',
  'audio.unreadable',
  'egress.failed',
  'egress.refused',
  'file.kind',
  'file.not_found',
  'overloaded',
  'token.scope',
  'tool.not_available',
  'transcription.failed',
  'transcription.model_unknown',
  'transcription.unavailable',
]);

/** What a process of the tenant reports of a function that it ran. */
const FUNCTION_FAULTS: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'function.failed',
  'function.result_invalid',
  'effect.ambiguous',
]);

function toolFaults({
  tool_id,
  class: own,
  session,
  http,
  mcp,
}: Pick<ToolDefinition, 'tool_id' | 'class' | 'session' | 'http' | 'mcp'>): ReadonlySet<FaultCode> {
  if (own === 'function') return FUNCTION_FAULTS;
  if (session === true) return SESSION_FAULTS;
  if (http !== undefined) return API_FAULTS;
  if (mcp !== undefined) return MCP_FAULTS;
  if (tool_id === SHELL_DANGEROUS.tool_id) return RAW_FAULTS;
  if (tool_id === SKILL_READ.tool_id) return SKILL_FAULTS;
  if (tool_id === AUDIO_TRANSCRIBE.tool_id) return TRANSCRIPTION_FAULTS;
  if (tool_id === CALENDAR_FIND.tool_id) return CALENDAR_FAULTS;
  if (tool_id === EMAIL_FIND.tool_id || tool_id === EMAIL_DRAFT.tool_id) return MAILBOX_FAULTS;
  if (isAgentTool(tool_id)) return AGENT_FAULTS;
  if (isStoreTool(tool_id) || tool_id === STORE_REGISTER.tool_id) return STORE_FAULTS;
  return isTaskTool(tool_id) ? TASK_FAULTS : FILE_TOOL_FAULTS;
}

/**
 * Why a reported attempt can't commit, or null when it may. A non-zero exit counts as failure unless the call requests
 * to keep the changes (`on_failure: keep`). Timeout, kill and limit always count, and so does a shell that a signal
 * ended: it has no exit status.
 * @param image that its permit orders: null for a call that runs in no container
 */
export function reportedFault(
  { ended, exit_code, error, usage }: ReportRequest,
  tool: Pick<ToolDefinition, 'tool_id' | 'class' | 'session' | 'cli' | 'http' | 'mcp'>,
  args: Readonly<Record<string, unknown>>,
  image: OperationRow['image_digest'],
): OutcomeFault | null {
  // A record that repeated it would vouch for a count that nobody made.
  if (usage.counted_by !== undefined && tool.class !== 'sandboxed' && image === null)
    return outcomeFault('effect.invalid', 'the call ran in no sandbox, but names who counted its usage in one');
  // A session stages the files that differ at its prompt, whatever the status of the command.
  if (ended === 'exited' && tool.session === true) return null;
  if (ended === 'exited') {
    if (exit_code === null)
      return tool.class !== 'sandboxed'
        ? null
        : outcomeFault('command.killed', 'the command was ended by a signal', 'its changes were rolled back');
    // For a tenant's tool it would be a parameter that happens to have this name.
    if (exit_code === 0 || (tool.cli === undefined && args['on_failure'] === 'keep')) return null;
    if (tool.tool_id === MK8_RUN.tool_id)
      return outcomeFault(
        'command.failed',
        'the script failed',
        'its changes were rolled back; the result says which step failed, and `onFailure` or the failure mode `ContinueOnError` would go on',
      );
    return outcomeFault(
      'command.failed',
      `the command ended with exit status ${exit_code}`,
      'its changes were rolled back; `on_failure: keep` keeps them',
    );
  }
  if (ended === 'invalid' && error?.code === 'secret.in_delta')
    return outcomeFault('secret.in_delta', cut(error.message), cut(error.hint));
  if (ended !== 'failed') return outcomeFault(ENDED_BY[ended], cut(error?.message), cut(error?.hint));
  // A tool may report only codes of tools: the kernel's own codes, such as a denial, would appear in a signed record as
  // the kernel's.
  const isAllowedCode = (code: FaultCode): boolean =>
    toolFaults(tool).has(code) ||
    ((tool.class === 'sandboxed' || tool.mcp !== undefined) && code === 'image.unavailable') ||
    (tool.class === 'broker' && EGRESS_FAULTS.has(code));
  if (!isFaultCode(error?.code) || !isAllowedCode(error.code))
    return outcomeFault('effect.invalid', 'the tool failed with an unknown code');
  return outcomeFault(error.code, cut(error.message), cut(error.hint));
}

function cut(text: string | null | undefined): string | null {
  // Postgres accepts no NUL in text, and the text comes from the job.
  return text === null || text === undefined || text === ''
    ? null
    : text.replaceAll('\0', '').slice(0, MESSAGE_CHARS_MAX).toWellFormed();
}
