// SPDX-License-Identifier: Apache-2.0
import {
  ANY_OBJECT,
  FUNCTION_REPORT,
  INLINE_LIMITS,
  LIMITS,
  UNTRUSTED_CONTENT_LABELS,
  type DeclaredTool,
  type FunctionTool,
  type ToolDefinition,
} from '@writ/contract';
import { CHECK_STEPS_MAX, schemaFaults } from '@writ/json-schema';

/**
 * The definition of a function, derived from the stored document alone: the same document has the same digest on every
 * replica.
 */
export function functionDefinition(tool: FunctionTool): ToolDefinition {
  const { tool_id, version, description, category, parameters, result, timeout_ms, mode, idempotent } = tool;
  return {
    tool_id,
    version,
    description,
    category,
    class: 'function',
    ...(mode === 'inline' ? { lane: 'caller' as const } : {}),
    mutating: category !== 'read',
    accepts_secrets: [],
    labels: UNTRUSTED_CONTENT_LABELS,
    limits: {
      ...INLINE_LIMITS,
      wall_ms: timeout_ms,
      cpu_ms: 0,
      memory_bytes: 0,
      disk_write_bytes: 0,
      output_bytes: FUNCTION_REPORT.resultBytes,
    },
    parameters: parameters as unknown as ToolDefinition['parameters'],
    result: (result ?? {}) as unknown as ToolDefinition['result'],
    shape: ANY_OBJECT,
    schemas: { parameters, result },
    function: { mode, idempotent },
    faults: (args) => functionArgumentFaults(parameters, args),
    // Such a tool works elsewhere, so it touches no file of the workspace.
    resources: () => [],
  };
}

type Faults = readonly { readonly pointer: string; readonly message: string }[];
const UNCHECKED: Faults = [{ pointer: '', message: 'take too long to check against the schema' }];

/** The problems of a call's arguments; null where the check takes more steps than allowed: then nothing is known. */
export function functionFaults(parameters: DeclaredTool['parameters'], args: unknown, stepsMax: number): Faults | null {
  const { argsInlineBytes } = LIMITS;
  if (Buffer.byteLength(JSON.stringify(args) ?? '') > argsInlineBytes.max)
    return [{ pointer: '', message: `take more than ${argsInlineBytes.max} bytes, which a permit doesn't carry` }];
  return schemaFaults(parameters, args, stepsMax);
}

/** The problems of a call's arguments, with one where they take too long to check. Total and pure. */
export const functionArgumentFaults = (parameters: DeclaredTool['parameters'], args: unknown): Faults =>
  functionFaults(parameters, args, CHECK_STEPS_MAX) ?? UNCHECKED;
