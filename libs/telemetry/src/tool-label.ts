// SPDX-License-Identifier: Apache-2.0
import { TOOLS } from '@writ/contract';

/** The tool of a call, as in its operation. */
export interface LabelledTool {
  readonly tool_id: string;
  /** null where no tool of that name was defined when the call was proposed */
  readonly tool_definition_digest: string | null;
}

/**
 * The value of a metric's label `tool`: the id of one of Writ's own tools, `tenant` for a tool that a tenant defined,
 * `unknown` for a name without a tool.
 *
 * INVARIANT (bounded): every value is a separate time series, so no name that a caller or a tenant chooses becomes one.
 * A call has the same value from its decision to its end.
 */
export function toolLabel({ tool_id, tool_definition_digest }: LabelledTool): string {
  if (TOOLS.has(tool_id)) return tool_id;
  return tool_definition_digest === null ? 'unknown' : 'tenant';
}
