// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { AppliedRedactions } from './redaction/redactable.ts';
import { DeltaId, idSchema, Sha256Hex, SnapshotId } from './ids.ts';
import { AutonomyMode, TxOutcome, UsageCounter, VerdictName } from './states.ts';
import { Budgets } from './token.ts';
import { Provenance, TaskClass } from './tool-call.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The subject of a record; `change` is every other change of state, named in `change`. */
export const RECORD_KINDS = [
  'tool_call',
  'approval',
  'token',
  'policy',
  'resolution',
  'erasure',
  'key',
  'workspace',
  'change',
] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/**
 * The audit record (TOOL-01 §3), the predicate of an in-toto Statement. Members without a value are null, never absent,
 * except for `usage_counted_by`, `person`, `execution` and `redactions`. Its bytes are serialised once, signed once and
 * stored as bytes. It never has arguments or results, only their hashes.
 */
export const AuditRecord = Type.Object(
  {
    v: Type.Literal(1),
    record_id: idSchema('record'),
    kind: Type.Enum(RECORD_KINDS),
    log_id: idSchema('log'),
    tenant_id: idSchema('tenant'),
    kernel_key_id: Type.String(),
    recorded_at: Type.Integer({ description: "milliseconds since the epoch by the database's clock" }),
    operation_id: orNull(idSchema('operation')),
    attempt: orNull(Type.Integer({ minimum: 1 })),
    phase: orNull(Type.Union([Type.Literal('decision'), Type.Literal('outcome')])),
    verdict: orNull(VerdictName),
    rule_ids: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 64 }),
    fault_code: orNull(Type.String()),
    approval_refs: Type.Array(idSchema('approval'), { maxItems: 16 }),
    agent_id: orNull(idSchema('agent')),
    capability_token_id: orNull(Type.String({ maxLength: 64 })),
    tool_id: orNull(Type.String({ maxLength: 128 })),
    tool_definition_digest: orNull(Sha256Hex),
    args_hash: orNull(Sha256Hex),
    result_hash: orNull(Sha256Hex),
    policy_hash: orNull(Sha256Hex),
    state_snapshot_id: orNull(SnapshotId),
    new_snapshot_id: orNull(SnapshotId),
    commit_delta_id: orNull(DeltaId),
    workspace_id: orNull(Type.String({ maxLength: 64 })),
    provenance: Provenance,
    task_class: orNull(TaskClass),
    autonomy_mode: orNull(AutonomyMode),
    risk_score: orNull(Type.Number({ minimum: 0, maximum: 1 })),
    risk_basis: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 64 }),
    tx_outcome: orNull(TxOutcome),
    budget_delta: orNull(Budgets),
    /**
     * Who counted the processor time in `budget_delta`. Absent, and never null, if the record doesn't state it: nothing
     * was counted in a sandbox, or the record is older than this member. So the bytes of older records are unchanged.
     */
    usage_counted_by: Type.Optional(UsageCounter),
    /**
     * The pseudonym of the person on whose behalf the call was made. Absent, and never null, if no person is known, or
     * the record is older than this member. Only the orchestrator's table of persons can tell whose it is, until it
     * forgets that.
     */
    person: Type.Optional(idSchema('person')),
    /**
     * For an outcome of a call that a process of the tenant ran: Writ didn't contain it, and its result is what that
     * process claims. `executor` is the API key that redeemed the permit; null where its attempt was given up before.
     * Absent, and never null, for every other record. So the bytes of older records are unchanged.
     */
    execution: Type.Optional(
      Type.Object(
        { contained: Type.Literal(false), result: Type.Literal('claimed'), executor: orNull(idSchema('apiKey')) },
        { additionalProperties: false },
      ),
    ),
    /**
     * For a decision that lets a call run: the rules that redact its result, with pointers to the members. Absent, and
     * never null, where no rule redacts anything. So the bytes of older records are unchanged.
     */
    redactions: Type.Optional(AppliedRedactions),
    decision_record_id: orNull(idSchema('record')),
    /**
     * hex SHA-256 of the decision's Statement bytes, the payload of its envelope: with both receipts, a verifier can
     * check that they belong together
     */
    decision_hash: orNull(Sha256Hex),
    effect_digest: orNull(Sha256Hex),
    egress_count: Type.Integer({ minimum: 0 }),
    egress_hash: orNull(Sha256Hex),
    image_digest: orNull(Type.String({ maxLength: 128 })),
    /** the actor, for kinds other than tool_call and for cancelled calls: an API key's id or `kernel` */
    actor: orNull(Type.String({ maxLength: 64 })),
    /**
     * the change, for kinds other than tool_call, and for a call that changes an information store: a verb and an id,
     * never a content
     */
    change: orNull(
      Type.Object(
        {
          verb: Type.String({ pattern: '^[a-z_]{1,64}$' }),
          subject: Type.String({ maxLength: 128 }),
          digest: orNull(Sha256Hex),
        },
        { additionalProperties: false },
      ),
    ),
    trace_id: orNull(Type.String({ pattern: '^[0-9a-f]{32}$' })),
    span_id: orNull(Type.String({ pattern: '^[0-9a-f]{16}$' })),
  },
  { additionalProperties: false },
);
export type AuditRecord = Static<typeof AuditRecord>;

export const RECORD_PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** The in-toto predicate type of a record of the kind. */
export const predicateTypeOf = (kind: RecordKind): string => `https://writ.dev/record/${kind}/v1`;
