// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { Sha256Hex } from '../ids.ts';
import { Problem } from '../problem.ts';
import { TenantTool } from '../tools/tenant-tool.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** The result for one tool that was sent. */
export const AppliedTool = Type.Object(
  {
    tool_id: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    definition_digest: Sha256Hex,
    change: Type.Enum(['created', 'changed', 'unchanged']),
  },
  closed,
);
export type AppliedTool = Static<typeof AppliedTool>;

/** The result of sending tools: all are in force, or all problems are reported and nothing has changed. */
export const ToolsApplied = Type.Object(
  { valid: Type.Boolean(), problems: Type.Array(Problem), tools: Type.Array(AppliedTool) },
  closed,
);
export type ToolsApplied = Static<typeof ToolsApplied>;

/** A tenant's tool that is in force. */
export const TenantToolView = Type.Object(
  {
    tool: TenantTool,
    definition_digest: Sha256Hex,
    applied_by: Type.String({ description: 'the API key' }),
    applied_at: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type TenantToolView = Static<typeof TenantToolView>;

/** orchestrator → kernel, of a tenant's tools. */
export const TOOL_REQUESTS = {
  /** → ToolsApplied: for a CliToolFile of any shape. `dry_run`: checks only */
  'tool.apply': Type.Object(
    { ...asked, file: Type.Record(Type.String(), Type.Unknown()), dry_run: Type.Boolean() },
    closed,
  ),
  /** → {items: TenantToolView[], next_cursor}, by name; `tool_id`: that one alone */
  'tool.list': Type.Object({ ...asked, page: Page, tool_id: orNull(Type.String({ maxLength: 128 })) }, closed),
  /** → {removed: tool_id}; calls that were decided with it and haven't begun end as `tool.changed` */
  'tool.remove': Type.Object({ ...asked, tool_id: Type.String({ maxLength: 128 }) }, closed),
} as const;
