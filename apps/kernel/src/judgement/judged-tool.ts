// SPDX-License-Identifier: Apache-2.0
import { MK8_RUN, type ToolDefinition } from '@writ/contract';
import { DEFAULT_SANDBOX, sandboxFrom } from '@writ/mk8-shell';
import { scriptTool } from '@writ/mk8-shell/tool';
import type { Arguments, Refusal } from './call.ts';

/** Scripts under the rules that are shipped. */
const SHIPPED = scriptTool(sandboxFrom(DEFAULT_SANDBOX));

/** The definition that a call is judged by: of a tool that runs scripts, with what is found by compiling the call's own under the rules of its sandbox. */
export function judgedTool(tool: ToolDefinition | null, args: Arguments | Refusal): ToolDefinition | null {
  if (tool?.tool_id !== MK8_RUN.tool_id || 'effect' in args) return tool;
  const { sandbox = DEFAULT_SANDBOX.name } = args.value;
  return sandbox === DEFAULT_SANDBOX.name ? SHIPPED : { ...MK8_RUN, faults: () => [{ pointer: '/sandbox', message: `names a sandbox that no script runs in: in this version that is \`${DEFAULT_SANDBOX.name}\` alone, so leave it out` }] };
}
