// SPDX-License-Identifier: Apache-2.0
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import { definitionForDigest, type ToolDefinition } from '@writ/contract';
import { shownSchema, shownText } from './shown-text.ts';

type ObjectSchema = Tool['inputSchema'];
type Schema = JSONObject;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };

/**
 * The schema of structured results. Each call is an operation, so the tool's own result comes with the operation's id
 * and state: a call that is held or still runs has no result yet, and says so in the same shape.
 */
const outputSchemaOf = (result: Schema): ObjectSchema => ({
  type: 'object',
  properties: {
    operation_id: text,
    state: text,
    result: { anyOf: [result, { type: 'null' }] },
    redacted_result: {
      description:
        'the result without what a policy keeps from you, in place of `result`: it need not have the form that `result` has',
    },
    error: {
      anyOf: [
        {
          type: 'object',
          properties: { code: text, message: text, hint: textOrNull },
          required: ['code', 'message', 'hint'],
        },
        { type: 'null' },
      ],
    },
    approval_id: textOrNull,
    receipt: textOrNull,
    next: textOrNull,
  },
  required: ['operation_id', 'state', 'result', 'error', 'approval_id', 'receipt', 'next'],
});

/** Goes with the definitions, of which the cache of `Offers` keeps a bounded number. */
const entries = new WeakMap<ToolDefinition, Tool>();

/** A tool as MCP lists it, under its id. A listing gives it the name that clients accept. */
export function toolEntry(tool: ToolDefinition): Tool {
  const kept = entries.get(tool);
  if (kept !== undefined) return kept;
  const made = entryOf(tool);
  entries.set(tool, made);
  return made;
}

function entryOf(tool: ToolDefinition): Tool {
  const { parameters, result } = definitionForDigest(tool) as { parameters: ObjectSchema; result: Schema };
  return {
    name: tool.tool_id,
    description: shownText(tool.description),
    inputSchema: { ...shownSchema(parameters), type: 'object' },
    outputSchema: outputSchemaOf(shownSchema(result)),
    annotations: {
      readOnlyHint: !tool.mutating,
      // A write changes the workspace, whose earlier states can be restored. An act of an administrator can do harm
      // beyond it.
      destructiveHint: tool.mutating && tool.category === 'admin',
      idempotentHint: !tool.mutating,
      openWorldHint: tool.class === 'broker',
    },
  };
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const operationId = { type: 'string', pattern: '^op_[0-9a-z]{26}$' };

/** The tools about operations, which every client has, under their ids. */
export const OPERATION_TOOLS: readonly Tool[] = [
  {
    name: 'operations.wait',
    description:
      'Waits for the end of an earlier call by its operation id, 55 seconds at most, and answers as the call itself would have. It runs nothing.',
    inputSchema: { type: 'object', properties: { operation_id: operationId }, required: ['operation_id'] },
    outputSchema: outputSchemaOf({}),
    annotations: reads,
  },
  {
    name: 'operations.cancel',
    description: 'Cancels an earlier call by its operation id, unless its effect has begun.',
    inputSchema: { type: 'object', properties: { operation_id: operationId }, required: ['operation_id'] },
    outputSchema: outputSchemaOf({}),
    annotations: { ...reads, readOnlyHint: false },
  },
];

/** The tools that find and describe others: a client with `tools=search` lists these and no others. */
export const SEARCH_TOOLS: readonly Tool[] = [
  {
    name: 'tools.search',
    description:
      'Finds tools by words of their names and descriptions, best first. `tools_describe` gives the schema of one; then call it by its name, though the list does not show it.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 200, description: 'words; empty words match everything' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: '10 by default' },
      },
      required: ['query'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: { type: 'object', properties: { name: text, description: text }, required: ['name', 'description'] },
        },
      },
      required: ['tools'],
    },
    annotations: reads,
  },
  {
    name: 'tools.describe',
    description: 'Describes tools by their names: parameters and results as JSON Schema.',
    inputSchema: {
      type: 'object',
      properties: { names: { type: 'array', items: text, minItems: 1, maxItems: 20 } },
      required: ['names'],
    },
    outputSchema: {
      type: 'object',
      properties: { tools: { type: 'array', items: { type: 'object' } } },
      required: ['tools'],
    },
    annotations: reads,
  },
];
