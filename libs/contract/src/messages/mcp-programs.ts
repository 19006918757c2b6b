// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';

const closed = { additionalProperties: false } as const;

/** Processes of a tenant that one request may ask about: more than an executor has. */
export const PROGRAMS_ASKED_MAX = 256;

/** A process of an MCP server that is a program, which waits for its next call, by calls that it served. */
const WaitingProgram = Type.Object(
  {
    first: { ...idSchema('operation'), description: 'the call for which it was started' },
    last: { ...idSchema('operation'), description: 'the call that it served last' },
  },
  closed,
);
export type WaitingProgram = Static<typeof WaitingProgram>;

/** executor → kernel: `kernel.mcp.programs` → McpProgramsReply, every other second while processes wait. */
export const McpProgramsRequest = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    tenant_id: idSchema('tenant'),
    programs: Type.Array(WaitingProgram, { minItems: 1, maxItems: PROGRAMS_ASKED_MAX }),
  },
  closed,
);
export type McpProgramsRequest = Static<typeof McpProgramsRequest>;

/**
 * `live`: the last calls of the processes that may wait on. The executor MUST kill each of the others: nobody may call
 * it any more, or it may have what is being erased.
 */
export const McpProgramsReply = Type.Object(
  { v: Type.Literal(1), live: Type.Array(idSchema('operation'), { maxItems: PROGRAMS_ASKED_MAX }) },
  closed,
);
export type McpProgramsReply = Static<typeof McpProgramsReply>;
