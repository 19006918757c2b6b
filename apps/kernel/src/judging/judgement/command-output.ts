// SPDX-License-Identifier: Apache-2.0
import {
  SHELL_DANGEROUS,
  SHELL_RUN,
  SHELL_SESSION,
  type Budgets,
  type CallSettings,
  type ToolDefinition,
} from '@writ/contract';
import type { DecidedLimits } from '../../foundation/rows/operation-row.ts';

/** Writ's own tools whose output is that of a command. A tenant's program states the bound of its output itself. */
const COMMANDS: ReadonlySet<string> = new Set(
  [SHELL_RUN, SHELL_SESSION, SHELL_DANGEROUS].map(({ tool_id }) => tool_id),
);

/**
 * The limits of a call as its decision states them: its budget, and for a command the output that the tenant's settings
 * allow at that moment. A later change of the settings doesn't change the call.
 */
export const decidedLimits = (
  budget: Budgets,
  { tool_id }: Pick<ToolDefinition, 'tool_id'>,
  { output_bytes }: Pick<CallSettings, 'output_bytes'>,
): DecidedLimits => (COMMANDS.has(tool_id) ? { ...budget, output_bytes } : budget);
