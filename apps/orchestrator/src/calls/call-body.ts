// SPDX-License-Identifier: Apache-2.0
import {
  AutonomyMode,
  CallRetention,
  ClaimedProvenance,
  DataSubject,
  idSchema,
  IdempotencyKey,
  PreconditionRef,
  TaskClass,
} from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Key } from '../edge/requests/fields.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });

/** A call as a client proposes it, without the members that only the kernel sets. */
export const CallBody = Type.Object(
  {
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    args: Type.Record(Type.String(), Type.Unknown(), { description: "arguments that match the tool's `parameters`" }),
    agent_id: Type.Optional(idSchema('agent')),
    capability_token_id: Type.Optional({ ...Key, description: 'default: the only usable one of the agent' }),
    workspace_id: Type.Optional({
      ...Key,
      description: "default: the token's; for a token of no workspace, the only one of the tenant",
    }),
    idempotency_key: Type.Optional(IdempotencyKey),
    precondition_refs: Type.Optional(Type.Array(PreconditionRef, { maxItems: 64 })),
    provenance: Type.Optional(ClaimedProvenance),
    task_class: Type.Optional({
      ...TaskClass,
      description:
        'what the call is for, for policies. If its first word is `interactive`, `background` or `maintenance`, it is also the scheduling class; otherwise a scheduled session is background and others are interactive',
    }),
    deadline: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'milliseconds since the epoch' }),
    ),
    dry_run: Type.Optional(Type.Boolean()),
    session_id: Type.Optional(Word),
    data_subject: Type.Optional(DataSubject),
    retention: Type.Optional(CallRetention),
    session_mode: Type.Optional(Type.Enum(['interactive', 'gateway', 'scheduled'])),
    max_autonomy: Type.Optional(AutonomyMode),
  },
  closed,
);
export type CallBody = Static<typeof CallBody>;
