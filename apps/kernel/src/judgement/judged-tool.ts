// SPDX-License-Identifier: Apache-2.0
import { MK8_RUN, SHELL_DANGEROUS, type ToolDefinition } from '@writ/contract';
import { DEFAULT_SANDBOX, sandboxFrom } from '@writ/mk8-shell';
import { dangerousTool } from '@writ/mk8-shell/dangerous';
import { sandboxNamed, scriptTool, signedScriptTool } from '@writ/mk8-shell/tool';
import type { Arguments, CallFacts, Refusal } from './call.ts';

/** Scripts under the rules that are shipped. */
const SHIPPED = scriptTool(sandboxFrom(DEFAULT_SANDBOX));

/**
 * The definition that a call is judged by: of a tool that runs scripts, with what is found by compiling the call's own under the rules of its sandbox. Where there is no
 * sandbox to run in it is the bare one, and `decideSandbox` refuses the call. Of a raw command, within its profile; without one `decideProfile` refuses it.
 */
export function judgedTool(tool: ToolDefinition | null, args: Arguments | Refusal, { sandbox, profile }: Pick<CallFacts, 'sandbox' | 'profile'>): ToolDefinition | null {
  if (tool?.tool_id === SHELL_DANGEROUS.tool_id) return profile === undefined || profile === null ? tool : dangerousTool(profile.profile);
  if (tool?.tool_id !== MK8_RUN.tool_id || 'effect' in args) return tool;
  if (sandboxNamed(args.value) === null) return SHIPPED;
  return sandbox === undefined || sandbox === null || 'effect' in sandbox ? MK8_RUN : signedScriptTool(sandbox);
}
