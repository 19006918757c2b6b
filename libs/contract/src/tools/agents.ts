// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { Budgets, FsRoot, NetGrant, ToolPattern } from '../token.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;

/** Agents below one another at most, whoever stands at the top: each waits for the one below it. */
export const SPAWN_DEPTH_MAX = 3;
/** Most replies that a sub-agent may be given. */
export const SPAWN_ROUNDS_MAX = 50;
/** What one is told to do: a page or two, so that arguments stay short. */
const TASK_CHARS_MAX = 12_000;
/** Parts of a dimension: a narrower reach is a short list. */
const PARTS_MAX = 64;

/** What a sub-agent is given less of: a dimension that is left out is the caller's own. */
export const SpawnArgs = Type.Object(
  {
    task: Type.String({
      minLength: 1,
      maxLength: TASK_CHARS_MAX,
      description: 'what is to be done, with all that it has to know: it sees nothing of this conversation',
    }),
    rounds_max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: SPAWN_ROUNDS_MAX, description: 'most replies that it has; 10 unless said' }),
    ),
    tools: Type.Optional(
      Type.Array(ToolPattern, {
        minItems: 1,
        maxItems: PARTS_MAX,
        description: 'the tools that it may use; yours unless said',
      }),
    ),
    fs: Type.Optional(
      Type.Array(FsRoot, { maxItems: PARTS_MAX, description: 'the paths that it reaches; yours unless said' }),
    ),
    net: Type.Optional(
      Type.Array(NetGrant, { maxItems: PARTS_MAX, description: 'the hosts that it reaches; yours unless said' }),
    ),
    secrets: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), {
        maxItems: PARTS_MAX,
        description: 'the secrets that it may use; yours unless said',
      }),
    ),
    budgets: Type.Optional(Budgets),
  },
  closed,
);
export type SpawnArgs = Static<typeof SpawnArgs>;

/**
 * Decided, recorded and ended as any call is; that it was committed is what lets the kernel make the sub-agent's token,
 * once. The run of the sub-agent is the orchestrator's to drive, and what comes of it is told to the run that asked.
 */
export const AGENT_SPAWN: ToolDefinition = {
  version: 1,
  tool_id: 'agent.spawn',
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
  description:
    'Gives a task to an agent below this one, in a conversation of its own, with no more than this one may do. Answers with its last words when it is done.',
  category: 'write',
  mutating: true,
  parameters: SpawnArgs,
  result: Type.Object({ allowed: Type.Literal(true) }, closed),
};
