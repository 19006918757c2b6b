// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from './delta.ts';
import { idSchema, Sha256Hex, SnapshotId } from './ids.ts';
import { ContentKey } from './messages/contents.ts';
import { Principal } from './messages/persons.ts';
import { SchedulingClass } from './scheduling.ts';
import { AutonomyMode } from './states.ts';

const Word = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });
const closed = { additionalProperties: false } as const;

/** What a caller may say about the origin of a call. Nobody checks it, and no decision relies on it. */
const claimed = {
  dialect: Word,
  session_id: Word,
  turn: Word,
  parent_operation_id: Word,
  client: { ...Word, description: 'the name of the program that calls, in its own words' },
  claimed_model: { ...Word, description: 'the model that the caller says it drives' },
} as const;

export const ClaimedProvenance = Type.Partial(Type.Object(claimed), closed);
export type ClaimedProvenance = Static<typeof ClaimedProvenance>;

/**
 * The origin of a call. No free text: these values become part of the record unchanged. INVARIANT (ours): `source`,
 * `run_id` and `model` are what Writ knows itself. No caller sets them, so a record that names a run is of that run.
 */
export const Provenance = Type.Partial(Type.Object({ source: Word, run_id: Word, model: Word, ...claimed }), closed);
export type Provenance = Static<typeof Provenance>;

/** The `ref` of the dry run by which a change is staged, and the `version` of every precondition about one. */
export const STAGED = { ref: 'self', version: 'shown', keyPrefix: 'staged:' } as const;

/**
 * A state or version that must hold when the call commits. `version` is a snapshot id for a snapshot, a content hash
 * (or `absent`) for a path, and the value in `/v1/external-versions` (or `absent`) for something outside. `staged`: the
 * call applies the change that the dry run `ref` showed, with `version` `shown` and the idempotency key `staged:<ref>`;
 * the dry run itself has the ref `self`.
 */
export const PreconditionRef = Type.Object(
  {
    kind: Type.Union([
      Type.Literal('snapshot'),
      Type.Literal('path'),
      Type.Literal('external_version'),
      Type.Literal('staged'),
    ]),
    ref: Type.String({ maxLength: 4096 }),
    version: Type.String({ maxLength: 256 }),
  },
  closed,
);
export type PreconditionRef = Static<typeof PreconditionRef>;

/**
 * The person that the content of a call is about, by a pseudonymous id of the caller: content can be erased by it.
 * Records don't contain it.
 */
export const DataSubject = Type.String({
  pattern: '^[A-Za-z0-9._:/-]{1,128}$',
  description:
    'an id of your own for the person whose data the call holds, so that it can be erased by it; its agent by default',
});

/** `hashes`: the content of the call is erased within minutes of its end, whatever its tenant keeps otherwise. */
export const CallRetention = Type.Literal('hashes', {
  description: "erases the call's content within minutes of its end; the tenant's own retention by default",
});

export const TaskClass = Type.String({ pattern: '^[a-z0-9_.-]{1,64}$' });
export const IdempotencyKey = Type.String({ pattern: '^[\\x21-\\x7e]{1,255}$' });

/** A call as the orchestrator proposes it. The kernel adds the rest (snapshot, policy, mode, risk). */
export const ProposedCall = Type.Object(
  {
    v: Type.Literal(1),
    operation_id: idSchema('operation'),
    tenant_id: idSchema('tenant'),
    agent_id: idSchema('agent'),
    /** the API key that proposed it: nobody approves their own call */
    proposed_by: idSchema('apiKey'),
    /**
     * the persons involved in the call, none of whom decides on it; absent from an older peer: the person of
     * `proposed_by`
     */
    proposers: Type.Optional(Type.Array(Principal, { minItems: 1, maxItems: 16 })),
    /** the pseudonym of the person on whose behalf it is made; absent where none is known, and from an older peer */
    person: Type.Optional(idSchema('person')),
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    args: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    args_ref: Type.Union([BlobRef, Type.Null()]),
    capability_token_id: Type.String({ minLength: 1, maxLength: 64 }),
    workspace_id: Type.String({ minLength: 1, maxLength: 64 }),
    session_id: Type.Union([Word, Type.Null()]),
    session_mode: Type.Union([Type.Literal('interactive'), Type.Literal('gateway'), Type.Literal('scheduled')]),
    max_autonomy: Type.Union([AutonomyMode, Type.Null()]),
    task_class: TaskClass,
    /** absent: the class that task class and session mode give. Only the definition of a job names another one. */
    scheduling_class: Type.Optional(SchedulingClass),
    idempotency_key: Type.Union([IdempotencyKey, Type.Null()]),
    precondition_refs: Type.Array(PreconditionRef, { maxItems: 64 }),
    provenance: Provenance,
    /** absent if none is named, and from an older peer */
    data_subject: Type.Optional(DataSubject),
    /** absent where the tenant's retention applies, and from an older peer */
    retention: Type.Optional(CallRetention),
    deadline: Type.Union([Type.Integer({ description: 'milliseconds since the epoch' }), Type.Null()]),
    dry_run: Type.Boolean(),
  },
  closed,
);
export type ProposedCall = Static<typeof ProposedCall>;

/**
 * orchestrator → kernel: `kernel.admit` → OperationView. If a call is admitted and ends within `wait_ms`, the reply has
 * its outcome.
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

/** The canonical call (TOOL-01 §1) with the kernel's additions. */
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
