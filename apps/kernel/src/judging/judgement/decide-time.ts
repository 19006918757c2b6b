// SPDX-License-Identifier: Apache-2.0
//
// How long a command may take. INVARIANT (each one bounds): the tenant's settings, the definition of a tenant's
// program, the profile of a raw command, and the life of each token of the chain all bound it. A call that asks for
// more is refused, and isn't cut short unseen.
import {
  COMMAND_MS_DEFAULT,
  MK8_RUN,
  SHELL_DANGEROUS,
  SHELL_RUN,
  type CallSettings,
  type ToolDefinition,
  type ToolLimits,
} from '@writ/contract';
import { refusal, type Arguments, type CallFacts, type Refusal } from './call.ts';

/** Writ's own tools whose calls may say how long their command takes. Parameters of a tenant's program don't. */
const ASKING: ReadonlySet<string> = new Set([SHELL_RUN, MK8_RUN, SHELL_DANGEROUS].map(({ tool_id }) => tool_id));
/** Those of them whose definition only says what holds unless a call asks for more. */
const OPEN_ENDED: ReadonlySet<string> = new Set([SHELL_RUN, MK8_RUN].map(({ tool_id }) => tool_id));
/** Processor time of a longer command, as a multiple of its time: as for a command of two minutes. */
const CPU_SHARE = 2;

/** The limits of a call whose command is timed. */
export interface TimedCall {
  readonly effect: 'allow';
  readonly limits: ToolLimits;
  /** whether it may take longer than a command whose call states no time */
  readonly isLong: boolean;
}

type TimedTool = Pick<ToolDefinition, 'tool_id' | 'class' | 'session' | 'limits'>;

/** Decides how long the command of a call may take, and its processor time with that. */
export function decideTime(
  tool: TimedTool,
  { value }: Pick<Arguments, 'value'>,
  { chain, rules, now }: Pick<CallFacts, 'chain' | 'rules' | 'now'>,
): TimedCall | Refusal {
  const { limits } = tool;
  if (tool.class !== 'sandboxed' || tool.session === true) return { effect: 'allow', limits, isLong: false };
  const bound = boundOf(tool, rules.settings);
  const asked = ASKING.has(tool.tool_id) ? value['timeout_ms'] : undefined;
  if (typeof asked === 'number' && asked > bound.ms)
    return refusal(
      'command.too_long',
      `the call asks for ${asked} ms, and ${bound.by} lets it take ${bound.ms} ms`,
      ASK,
    );
  const standardMs = tool.tool_id === MK8_RUN.tool_id ? MK8_RUN.limits.wall_ms : COMMAND_MS_DEFAULT;
  // The executor ends the command when the call says; less than usual is not worth a smaller reservation.
  const wantedMs = typeof asked === 'number' ? Math.max(asked, Math.min(limits.wall_ms, standardMs)) : limits.wall_ms;
  const wallMs = Math.min(bound.ms, wantedMs);
  if (wallMs <= standardMs) return { effect: 'allow', limits: { ...limits, wall_ms: wallMs }, isLong: false };
  const leftMs = Math.min(...chain.map(({ token }) => token.grant.expires_at)) - now;
  if (wallMs > leftMs)
    return refusal(
      'command.too_long',
      `the call may take ${wallMs} ms, and its capability token ends in ${Math.max(0, leftMs)} ms`,
      'ask for less time, or call under a token that lives longer',
    );
  return {
    effect: 'allow',
    limits: { ...limits, wall_ms: wallMs, cpu_ms: Math.max(limits.cpu_ms, CPU_SHARE * wallMs) },
    isLong: true,
  };
}

const ASK = 'ask for less time; an administrator sets how long commands may take (`writ settings set`)';

/** The longest time that a command of the tool may take, and what bounds it. */
function boundOf(
  { tool_id, limits }: TimedTool,
  { command_ms = null, tool_command_ms = {} }: Pick<CallSettings, 'command_ms' | 'tool_command_ms'>,
): { readonly ms: number; readonly by: string } {
  const set = (Object.hasOwn(tool_command_ms, tool_id) ? tool_command_ms[tool_id] : undefined) ?? command_ms;
  const own = { ms: limits.wall_ms, by: tool_id === SHELL_DANGEROUS.tool_id ? 'its execution profile' : 'its tool' };
  if (set === null || set === undefined) return own;
  const ofTenant = { ms: set, by: "the tenant's setting for the time of commands" };
  return OPEN_ENDED.has(tool_id) || set < own.ms ? ofTenant : own;
}
