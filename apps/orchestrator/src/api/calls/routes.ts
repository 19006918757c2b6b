// SPDX-License-Identifier: Apache-2.0
import {
  AutonomyMode,
  DataSubject,
  idSchema,
  IdempotencyKey,
  OperationView,
  PreconditionRef,
  Provenance,
  TaskClass,
  ToolResult,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, Wait } from '../../edge/fields.ts';
import { route } from '../../edge/route.ts';

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

export const CALLS = {
  propose: route({
    id: 'proposeToolCall',
    method: 'POST',
    path: '/v1/tool-calls',
    tag: 'tool-calls',
    allowed: ['admin', 'agent'],
    summary: 'Proposes a tool call and waits for its end',
    query: Type.Object({ wait: Wait }, closed),
    queued: true,
    // Whatever is in the body, it is read by the rules of the call itself: what only the kernel may fill gets an answer
    // of its own.
    body: Type.Record(Type.String(), Type.Unknown()),
    documentedBody: CallBody,
    answers: {
      200: {
        says: 'The call has ended: done, refused or failed. `tx_outcome` and `status` say how',
        schema: ToolResult,
      },
      202: {
        says: 'The call is under way, or held for a person; `Location` says where to look',
        schema: OperationView,
      },
    },
    faults: [
      'args.too_large',
      'conflict',
      'deadline',
      'overloaded',
      'queue.full',
      'record.backlog',
      'bus.unreachable',
      'database.unavailable',
      'not_found',
    ],
  }),
};
