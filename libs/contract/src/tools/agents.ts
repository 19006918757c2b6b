// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { UNNAMED_RESOURCE } from '../resources/resource-kinds.ts';
import { Budgets, FsRoot, NetGrant, ToolPattern } from '../token.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;

/** Limit on the depth of sub-agents: each agent waits for the one below it. */
export const SPAWN_DEPTH_MAX = 3;
/** Limit on the replies of a sub-agent. */
export const SPAWN_ROUNDS_MAX = 50;
/** The `source` in the provenance of a call by which a turn starts a sub-agent. */
export const TURN_SOURCE = 'turn';
/** Limit on a sub-agent's task: a page or two, so that arguments stay short. */
export const SPAWN_TASK_CHARS_MAX = 12_000;
/** Limit on the members of a dimension: a narrower grant is a short list. */
const PARTS_MAX = 64;

/** The reduced grant of a sub-agent: an omitted dimension is the caller's own. */
export const SpawnArgs = Type.Object(
  {
    task: Type.String({
      minLength: 1,
      maxLength: SPAWN_TASK_CHARS_MAX,
      description: 'what is to be done, with all that it has to know: it sees nothing of this conversation',
    }),
    rounds_max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: SPAWN_ROUNDS_MAX, description: 'most replies that it has; 10 by default' }),
    ),
    tools: Type.Optional(
      Type.Array(ToolPattern, {
        minItems: 1,
        maxItems: PARTS_MAX,
        description: 'the tools that it may use; yours by default',
      }),
    ),
    fs: Type.Optional(
      Type.Array(FsRoot, { maxItems: PARTS_MAX, description: 'the paths that it reaches; yours by default' }),
    ),
    net: Type.Optional(
      Type.Array(NetGrant, { maxItems: PARTS_MAX, description: 'the hosts that it reaches; yours by default' }),
    ),
    secrets: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), {
        maxItems: PARTS_MAX,
        description: 'the secrets that it may use; yours by default',
      }),
    ),
    budgets: Type.Optional(Budgets),
  },
  closed,
);
export type SpawnArgs = Static<typeof SpawnArgs>;

/**
 * Decided, recorded and ended like any call. Its commit lets the kernel make the sub-agent's token, once. The
 * orchestrator drives the run of the sub-agent and returns its result to the requesting run.
 */
export const AGENT_SPAWN: ToolDefinition = {
  version: 2,
  tool_id: 'agent.spawn',
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
  targets: () => [{ kind: 'agent', ref: UNNAMED_RESOURCE, right: 'create', pointer: '' }],
  description:
    'Gives a task to an agent below this one, in a conversation of its own, with no more than this one may do. Answers with its last words when it is done.',
  category: 'write',
  mutating: true,
  changes_records: true,
  parameters: SpawnArgs,
  result: Type.Object({ allowed: Type.Literal(true) }, closed),
};
