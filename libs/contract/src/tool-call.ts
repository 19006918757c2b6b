// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from './delta.ts';
import { idSchema, Sha256Hex, SnapshotId } from './ids.ts';
import { ContentKey } from './messages/contents.ts';
import { Principal } from './messages/persons.ts';
import { AutonomyMode } from './states.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });
const closed = { additionalProperties: false } as const;

/** Where a call comes from. No free text: these go into the record as they are. */
export const Provenance = Type.Partial(
  Type.Object({
    source: Word,
    dialect: Word,
    session_id: Word,
    run_id: Word,
    turn: Word,
    parent_operation_id: Word,
    model: Word,
  }),
  closed,
);
export type Provenance = Static<typeof Provenance>;

/**
 * A state or version that must hold when the call commits. `version` is a snapshot id for a snapshot, a content hash
 * (or `absent`) for a path, what `/v1/resources` says (or `absent`) for a resource.
 */
export const PreconditionRef = Type.Object(
  {
    kind: Type.Union([Type.Literal('snapshot'), Type.Literal('path'), Type.Literal('resource')]),
    ref: Type.String({ maxLength: 4096 }),
    version: Type.String({ maxLength: 256 }),
  },
  closed,
);
export type PreconditionRef = Static<typeof PreconditionRef>;

/**
 * Whom the content of a call is about, by an id of the caller's that is no name: content can be erased by it. No record
 * has it.
 */
export const DataSubject = Type.String({
  pattern: '^[A-Za-z0-9._:/-]{1,128}$',
  description:
    'an id of your own for the person whose data the call holds, so that it can be erased by it; its agent unless said',
});

export const TaskClass = Type.String({ pattern: '^[a-z0-9_.-]{1,64}$' });
export const IdempotencyKey = Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' });

/**
 * A call as the orchestrator proposes it. What the kernel alone knows (snapshot, policy, mode, risk) isn't in it yet.
 */
export const ProposedCall = Type.Object(
  {
    v: Type.Literal(1),
    operation_id: idSchema('operation'),
    tenant_id: idSchema('tenant'),
    agent_id: idSchema('agent'),
    /** the API key that proposed it: nobody approves their own call */
    proposed_by: idSchema('apiKey'),
    /**
     * the persons who had a hand in it, none of whom decides about it; absent where an older peer asks: the one behind
     * `proposed_by`
     */
    proposers: Type.Optional(Type.Array(Principal, { minItems: 1, maxItems: 16 })),
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    args: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    args_ref: Type.Union([BlobRef, Type.Null()]),
    capability_token_id: Type.String({ minLength: 1, maxLength: 64 }),
    workspace_id: Type.String({ minLength: 1, maxLength: 64 }),
    session_id: Type.Union([Word, Type.Null()]),
    session_mode: Type.Union([Type.Literal('interactive'), Type.Literal('gateway'), Type.Literal('scheduled')]),
    max_autonomy: Type.Union([AutonomyMode, Type.Null()]),
    task_class: TaskClass,
    idempotency_key: Type.Union([IdempotencyKey, Type.Null()]),
    precondition_refs: Type.Array(PreconditionRef, { maxItems: 64 }),
    provenance: Provenance,
    /** absent where none is named, and where an older peer asks */
    data_subject: Type.Optional(DataSubject),
    deadline: Type.Union([Type.Integer({ description: 'milliseconds since the epoch' }), Type.Null()]),
    dry_run: Type.Boolean(),
  },
  closed,
);
export type ProposedCall = Static<typeof ProposedCall>;

/**
 * orchestrator → kernel: `kernel.admit` → OperationView. A call that is admitted and ends within `wait_ms` is answered
 * with its end.
 */
export const AdmitRequest = Type.Object(
  {
    ...ProposedCall.properties,
    args_key: Type.Optional({
      ...ContentKey,
      description:
        'what the arguments by reference are sealed under; absent where there are none, and where an older peer asks: then they are stored as they are',
    }),
    wait_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000, description: 'absent where an older peer asks: not at all' }),
    ),
  },
  closed,
);
export type AdmitRequest = Static<typeof AdmitRequest>;

/** The canonical call (TOOL-01 §1) with what the kernel filled in. */
export const ToolCall = Type.Object(
  {
    ...ProposedCall.properties,
    state_snapshot_id: Type.Union([SnapshotId, Type.Null()]),
    policy_hash: Sha256Hex,
    autonomy_mode: AutonomyMode,
    risk_score: Type.Number({ minimum: 0, maximum: 1, description: 'three decimals' }),
    risk_basis: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 128 }),
  },
  closed,
);
export type ToolCall = Static<typeof ToolCall>;
