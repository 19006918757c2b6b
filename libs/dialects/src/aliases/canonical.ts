// SPDX-License-Identifier: Apache-2.0
//
// Calls that name a canonical tool, in dialects that have names of their own for some tools only. So each dialect
// reaches every tool: Writ's own, and those of the tenant.
import type { Args } from '../dialect.ts';
import { quoted } from '../text/truncate.ts';
import type { Resolved } from './alias.ts';

const TOOL_ID = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/;
const TOOL_ID_CHARS_MAX = 128;

/** Whether a name has the form of a tool's id. The tool itself may not exist: the kernel decides. */
export const isToolId = (name: string): boolean => name.length <= TOOL_ID_CHARS_MAX && TOOL_ID.test(name);

/** The call of a canonical tool; null for a name that no tool can have. */
export function canonicalCall(name: string, args: unknown): Resolved | null {
  if (!isToolId(name)) return null;
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return { problem: `the arguments of ${quoted(name)} must be an object` };
  return { tool_id: name, args: args as Args, mode: 'run' };
}
