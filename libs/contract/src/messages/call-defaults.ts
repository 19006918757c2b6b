// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { IdempotencyKey } from '../tool-call.ts';
import { Caller } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });

/** Choices of each kind in a reply. Where there are more than one, the caller chooses. */
export const CALL_CHOICES_MAX = 6;

/** Under which capability token and in which workspace a call may be made that names none. */
export const CallDefaultsReply = Type.Object(
  {
    /** what the call named that has the idempotency key already; null: the key is free, or there is none */
    claim: orNull(Type.Object({ capability_token_id: idSchema('token'), workspace_id: idSchema('workspace') }, closed)),
    /** tokens of the agent that a client's call may use now, newest first; for an exchanged credential its own alone */
    tokens: Type.Array(
      Type.Object({ capability_token_id: idSchema('token'), workspace_id: orNull(idSchema('workspace')) }, closed),
      { maxItems: CALL_CHOICES_MAX },
    ),
    /** workspaces of the tenant, newest first */
    workspaces: Type.Array(idSchema('workspace'), { maxItems: CALL_CHOICES_MAX }),
  },
  closed,
);
export type CallDefaultsReply = Static<typeof CallDefaultsReply>;

/** orchestrator → kernel, as in KERNEL_REQUESTS. */
export const CALL_DEFAULTS_REQUESTS = {
  /** → CallDefaultsReply; `keyed`: the call, where it has an idempotency key. Fault `not_found`. */
  'call.defaults': Type.Object(
    {
      v: Type.Literal(1),
      caller: Caller,
      agent_id: Key,
      keyed: orNull(
        Type.Object(
          { tool_id: Type.String({ minLength: 1, maxLength: 128 }), idempotency_key: IdempotencyKey },
          closed,
        ),
      ),
    },
    closed,
  ),
} as const;
