// SPDX-License-Identifier: Apache-2.0
// Adapter of the Claude Agent SDK: a hook before each use of a tool, and the functions of an in-process MCP server.
import type { WaitOptions } from '../calls.ts';
import type { Signal } from '../options.ts';
import { governed, textOf, type GovernedClient, type GovernOptions } from './governed.ts';
import type { GovernedTools } from './governed-tool.ts';

/** What the hook answers. */
export interface HookAnswer {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse';
    permissionDecision: 'allow' | 'deny' | 'defer';
    permissionDecisionReason: string;
  };
}

/** The hook of the SDK. */
export type PreToolUseHook = (
  input: object,
  toolUseId: string | undefined,
  options: { readonly signal: Signal },
) => Promise<HookAnswer>;

/** The result of a tool of an MCP server. */
export interface ToolAnswer {
  content: { type: 'text'; text: string }[];
  isError: boolean;
}

export interface ClaudeOptions extends GovernOptions {
  /** the name of the in-process MCP server that has the tools; default: `writ` */
  readonly server?: string;
}

/** What `query` of the Claude Agent SDK gets. */
export interface ClaudeAdapter {
  /**
   * Pass it as `hooks`. It decides every tool that the model uses, and denies those that aren't listed. A held call is
   * deferred: the query ends with `deferred_tool_use`. A query that resumes the session asks Writ again.
   */
  readonly hooks: { readonly PreToolUse: { hooks: PreToolUseHook[]; onFailure: 'block'; timeout: number }[] };
  /** The function of a tool, for `tool` of the SDK. It runs the call where Writ admits it. */
  handlerOf(name: string): (args: unknown, extra: unknown) => Promise<ToolAnswer>;
  /** The operation of the `deferred_tool_use` of a result that is held; null where it is no longer. */
  operationOf(deferred: DeferredUse): Promise<string | null>;
  /** Waits until a held call has been decided, or its approval expires. */
  untilDecided(operationId: string, options?: WaitOptions): Promise<void>;
}

/** The call that a query ended with. */
export interface DeferredUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Seconds for the hook: longer than the client tries to get an answer. */
const HOOK_SECONDS = 150;
/** Where the SDK tells an MCP server the id of the call. */
const USE_ID = 'claudecode/toolUseId';

/** Hooks and functions of the Claude Agent SDK, by which Writ decides each call. */
export function governTools(writ: GovernedClient, tools: GovernedTools, options: ClaudeOptions = {}): ClaudeAdapter {
  const { server = 'writ', ...rest } = options;
  const { decide, run, untilDecided } = governed(writ, tools, rest);
  const prefix = `mcp__${server}__`;
  // A tool of another server isn't one of these, whatever its name: without the prefix nothing is listed.
  const nameOf = (full: string): string =>
    full.startsWith(prefix) ? full.slice(prefix.length) : `not listed: ${full}`;
  const preToolUse: PreToolUseHook = async (input, toolUseId, { signal }) => {
    const { tool_name = '', tool_input: args, tool_use_id = toolUseId } = input as UseInput;
    const decision = await decide({ name: nameOf(tool_name), args, callId: tool_use_id, signal });
    if (decision.outcome === 'admitted')
      return answerOf('allow', `admitted by Writ (operation ${decision.operationId})`);
    return answerOf(decision.outcome === 'held' ? 'defer' : 'deny', decision.text);
  };
  return {
    hooks: { PreToolUse: [{ hooks: [preToolUse], onFailure: 'block', timeout: HOOK_SECONDS }] },
    handlerOf: (name) => async (args, extra) => {
      const { _meta, signal } = extra as {
        readonly _meta?: Readonly<Record<string, unknown>>;
        readonly signal?: Signal;
      };
      const callId = _meta?.[USE_ID];
      const answer = await run({ name, args, callId: typeof callId === 'string' ? callId : undefined, signal });
      return { content: [{ type: 'text', text: textOf(answer) }], isError: answer.outcome !== 'ok' };
    },
    async operationOf({ id, name, input }) {
      const decision = await decide({ name: nameOf(name), args: input, callId: id });
      return decision.outcome === 'held' ? decision.operationId : null;
    },
    untilDecided,
  };
}

interface UseInput {
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
}

const answerOf = (
  permissionDecision: HookAnswer['hookSpecificOutput']['permissionDecision'],
  permissionDecisionReason: string,
): HookAnswer => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
});
