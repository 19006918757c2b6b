// SPDX-License-Identifier: Apache-2.0
import {
  AutonomyMode,
  DataSubject,
  idSchema,
  IdempotencyKey,
  PreconditionRef,
  Provenance,
  TaskClass,
} from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Key } from '../edge/requests/fields.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });

/** A call as a client proposes it. What the kernel alone may say isn't among it. */
export const CallBody = Type.Object(
  {
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    args: Type.Record(Type.String(), Type.Unknown(), { description: "as the tool's `parameters` say" }),
    agent_id: Type.Optional(idSchema('agent')),
    capability_token_id: Key,
    workspace_id: Key,
    idempotency_key: Type.Optional(IdempotencyKey),
    precondition_refs: Type.Optional(Type.Array(PreconditionRef, { maxItems: 64 })),
    provenance: Type.Optional(Provenance),
    task_class: Type.Optional(TaskClass),
    deadline: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'milliseconds since the epoch' }),
    ),
    dry_run: Type.Optional(Type.Boolean()),
    session_id: Type.Optional(Word),
    data_subject: Type.Optional(DataSubject),
    session_mode: Type.Optional(Type.Enum(['interactive', 'gateway', 'scheduled'])),
    max_autonomy: Type.Optional(AutonomyMode),
  },
  closed,
);
export type CallBody = Static<typeof CallBody>;
