// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { AppliedRedactions } from '../redaction/redactable.ts';
import { idSchema } from '../ids.ts';
import { ApproverDemandView } from './approver-demands.ts';
import { UnmetNeed } from './execution.ts';
import { Principal } from './persons.ts';
import { StartedBy } from './started-by.ts';
import { YourDecision } from './your-decision.ts';
import { AutonomyMode, Reason, State } from '../states.ts';
import { BlobRef, Change, Delta, FileState } from '../delta.ts';
import { Budgets } from '../token.ts';
import { SchedulingClass } from '../scheduling.ts';
import { Provenance } from '../tool-call.ts';
import { ToolResult } from '../tool-result.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

/** The result of a preview of a held call. A person sees it before deciding; its contents are for approvers only. */
export const PreviewView = Type.Object(
  {
    state: Type.Enum(['none', 'waiting', 'running', 'ready', 'failed', 'abandoned'], {
      description:
        'ready: the effect is staged, and is what an approval approves; failed: the call would not have committed, or nothing ran it; none: the call has none',
    }),
    why: orNull(Type.String({ description: 'why there is no effect to approve' })),
    round: Type.Integer({ minimum: 0, description: '2 once an effect went stale and was shown anew' }),
    base_snapshot_id: orNull(Type.String({ description: 'the state that it ran on' })),
    changes: orNull(Type.Array(Change, { description: 'the first of the staged changes; the diff has the contents' })),
    changes_total: orNull(Type.Integer({ minimum: 0 })),
    exit_code: orNull(Type.Integer()),
    output: Type.Unknown({ description: "the tool's result; null where it is too long to show" }),
    would_ask_for: Type.Array(UnmetNeed, {
      description:
        'with any of these the approval is of the action: the preview did not have them, so the effect may differ',
    }),
    used: orNull(Budgets),
  },
  closed,
);
export type PreviewView = Static<typeof PreviewView>;

/** The number of approvals of a held call, and how many it needs. */
export const VoteCount = Type.Object(
  {
    given: Type.Integer({ minimum: 0, description: 'distinct persons whose approval is valid' }),
    needed: Type.Integer({ minimum: 1, description: 'distinct persons who must approve' }),
    role: Type.Enum(['operator', 'admin'], { description: 'the lowest role whose approval counts' }),
  },
  closed,
);
export type VoteCount = Static<typeof VoteCount>;

/** The vote of one person. */
export const VoteView = Type.Object(
  {
    vote_id: idSchema('vote'),
    says: Type.Enum(['approve', 'deny']),
    principal: Type.String({ description: 'the person whose vote it is' }),
    role: Type.Enum(['operator', 'admin'], { description: 'the right that was used' }),
    cast_by: Type.String({ description: 'the API key that gave it' }),
    cast_as: Type.String({
      description: 'the person of that key: another than `principal` if the right was delegated',
    }),
    delegation_id: orNull(idSchema('delegation')),
    effect_digest: orNull(Type.String({ description: 'of the effect that it approves; null for the action' })),
    stands: Type.Boolean({
      description: 'whether it applies to the current subject of the approval, and its right was not revoked',
    }),
    comment: orNull(Type.String()),
    record_id: orNull(Type.String({ description: "its record, where it isn't the approval's own" })),
    created_at: Instant,
  },
  closed,
);
export type VoteView = Static<typeof VoteView>;

export const ApprovalView = Type.Object(
  {
    approval_id: idSchema('approval'),
    operation_id: idSchema('operation'),
    tool_id: Type.String(),
    agent_id: idSchema('agent'),
    action_digest: Type.String(),
    autonomy_mode: AutonomyMode,
    of: Type.Enum(['action', 'effect', 'value'], {
      description:
        'what a person approves: the action, or exactly the effect shown; value: the call waits for one, and a person gives it',
    }),
    state: Type.Union([
      Type.Literal('pending'),
      Type.Literal('approved'),
      Type.Literal('denied'),
      Type.Literal('expired'),
      Type.Literal('cancelled'),
      Type.Literal('superseded'),
    ]),
    binding: Type.Object(
      {
        action_digest: Type.String({ description: 'with the snapshot left out' }),
        effect_digest: orNull(Type.String({ description: 'null for an approval of the action' })),
        policy_hash: Type.String(),
        expires_at: Instant,
      },
      { ...closed, description: 'what an approval binds to; it counts once' },
    ),
    preview: PreviewView,
    votes: VoteCount,
    voted: Type.Array(VoteView, { description: 'the votes, oldest first' }),
    reasons: Type.Array(Reason),
    args: Type.Unknown({ description: 'the arguments that would run, for the approver' }),
    unreadable: Type.Optional(
      Type.Literal(true, {
        description:
          'what is stored of the call can not be read, so its arguments or its effect are null: it can be denied, and not approved',
      }),
    ),
    created_at: Instant,
    expires_at: Instant,
    decided_at: orNull(Instant),
    decided_by: orNull(Type.String()),
    comment: orNull(Type.String()),
    session_token_id: Type.Optional(orNull(Type.String({ description: 'the token of the session grant' }))),
    groups: Type.Optional(
      Type.Array(ApproverDemandView, {
        description: 'the groups that the policy reserves it for; absent: anybody of that role may decide',
      }),
    ),
    escalated_to: Type.Optional(
      Type.Array(Type.String(), { description: 'groups that it was offered to later, beside those; absent: none' }),
    ),
    escalates_at: Type.Optional(
      Type.Integer({ minimum: 0, description: 'when it is offered to further groups; absent: never' }),
    ),
    you: Type.Optional(YourDecision),
    started_by: Type.Optional(StartedBy),
  },
  closed,
);
export type ApprovalView = Static<typeof ApprovalView>;

/** The staged effect of a held call, for approvers: the whole delta, and the call's result. */
export const ApprovalEffect = Type.Object(
  { effect_digest: Type.String(), delta: orNull(Delta), delta_ref: orNull(BlobRef) },
  closed,
);
export type ApprovalEffect = Static<typeof ApprovalEffect>;

/**
 * A person's finding about an ambiguous operation: whether its effect happened. The state stays `ambiguous`, since Writ
 * itself saw no more.
 */
export const Resolution = Type.Object(
  {
    outcome: Type.Enum(['committed', 'rolled_back'], {
      description: 'whether the external effect happened, as the person found',
    }),
    note: Type.String({ minLength: 1, maxLength: 1000, description: 'how they know' }),
    resolved_at: Instant,
    resolved_by: Type.String({ description: 'the API key of that person' }),
    record_id: idSchema('record'),
  },
  closed,
);
export type Resolution = Static<typeof Resolution>;

/** The content of an operation was erased: arguments, result, requests and what people wrote about it. */
export const Erased = Type.Object(
  { at: Instant, erasure_id: idSchema('erasure'), record_id: { ...idSchema('record'), description: 'its record' } },
  closed,
);
export type Erased = Static<typeof Erased>;

/** An operation, as seen outside of the kernel. */
export const OperationView = Type.Object(
  {
    operation_id: idSchema('operation'),
    state: State,
    tool_id: Type.String(),
    agent_id: idSchema('agent'),
    capability_token_id: Type.String(),
    workspace_id: orNull(Type.String()),
    session_id: orNull(Type.String()),
    task_class: Type.String(),
    // Absent in the answer of a kernel that is older than the classes.
    scheduling_class: Type.Optional({
      ...SchedulingClass,
      description: 'when it is served among the waiting calls of its tenant',
    }),
    autonomy_mode: AutonomyMode,
    risk_score: Type.Number(),
    risk_basis: Type.Array(Type.String()),
    reasons: Type.Array(Reason),
    provenance: Provenance,
    attempt: Type.Integer({ minimum: 0 }),
    replayed: Type.Boolean({ description: 'this answer is the original outcome of an idempotency key used again' }),
    approval_id: orNull(idSchema('approval')),
    votes: Type.Optional({ ...VoteCount, description: 'of a call that is held: how many have approved it' }),
    decision_record_id: idSchema('record'),
    outcome_record_id: orNull(idSchema('record')),
    resolution: orNull(Resolution),
    erased: Type.Optional({ ...Erased, description: 'where its content was erased: when, and by which record' }),
    created_at: Instant,
    updated_at: Instant,
    awaits: Type.Optional(
      Type.Literal('caller', {
        description: 'its proposer is to run it: ask for its permit. Absent: somebody else runs it, or it has ended',
      }),
    ),
    redactions: Type.Optional({
      ...AppliedRedactions,
      description: 'what rules of the policy redact of its result; absent: nothing',
    }),
    result: orNull(ToolResult),
  },
  closed,
);
export type OperationView = Static<typeof OperationView>;

/** States in which nothing more happens automatically. */
export const FINAL_STATES = ['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous'] as const;
export const isFinal = (state: string): boolean => (FINAL_STATES as readonly string[]).includes(state);

/** The key and tenant that a request is made for; every request of the orchestrator to the kernel has it. */
export const Caller = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    api_key_id: idSchema('apiKey'),
    role: Type.Enum(['admin', 'operator', 'agent', 'auditor', 'worker']),
    agent_id: orNull(idSchema('agent')),
    /** for a key of the role `worker`: the tools whose calls it may take, by name or `family.*`; absent for others */
    tools: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: 64 })),
    /** absent for a key without a name: see `principalOf` */
    principal: Type.Optional(Principal),
    /** the pseudonym of the person; absent where none is known, and from an older peer */
    person: Type.Optional(idSchema('person')),
  },
  closed,
);
export type Caller = Static<typeof Caller>;

export const Page = Type.Object(
  { cursor: orNull(Type.String({ maxLength: 256 })), limit: Type.Integer({ minimum: 1, maximum: 200 }) },
  closed,
);
export type Page = Static<typeof Page>;

/**
 * Event `operation`: an operation changed; ids and states only. Optional members were added later: an older peer omits
 * them.
 */
export const OperationEvent = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    state: State,
    agent_id: Type.Optional(idSchema('agent')),
    tool_id: Type.Optional(Type.String()),
    approval_id: Type.Optional(orNull(idSchema('approval'))),
    fault_code: Type.Optional(orNull(Type.String())),
    resolution: Type.Optional(orNull(Resolution.properties.outcome)),
    at: Type.Optional(Instant),
  },
  closed,
);
export type OperationEvent = Static<typeof OperationEvent>;

export const WorkspaceView = Type.Object(
  {
    workspace_id: idSchema('workspace'),
    name: Type.String(),
    head_snapshot_id: Type.String(),
    created_at: Instant,
    updated_at: Instant,
  },
  closed,
);
export type WorkspaceView = Static<typeof WorkspaceView>;

export const TreeEntry = Type.Object({ path: Type.String(), state: FileState }, closed);
export type TreeEntry = Static<typeof TreeEntry>;

/**
 * How a state became the head of a workspace: a call committed it, or a person made, changed, restored or imported it.
 */
export const SNAPSHOT_KINDS = ['created', 'committed', 'changed', 'restored', 'imported'] as const;
export type SnapshotKind = (typeof SNAPSHOT_KINDS)[number];

/** One step of a workspace's history, the newest first. */
export const SnapshotView = Type.Object(
  {
    seq: Type.Integer({ minimum: 0, description: 'how many states came before it' }),
    snapshot_id: Type.String(),
    parent_snapshot_id: orNull(Type.String()),
    delta_id: orNull(Type.String()),
    kind: Type.Enum(SNAPSHOT_KINDS),
    operation_id: orNull(idSchema('operation')),
    tool_id: orNull(Type.String({ description: 'of the call that committed it' })),
    made_by: orNull(Type.String({ description: 'the agent whose call it was, or the API key' })),
    created_at: Instant,
  },
  closed,
);
export type SnapshotView = Static<typeof SnapshotView>;

export const AgentView = Type.Object({ agent_id: idSchema('agent'), name: Type.String(), created_at: Instant }, closed);
export type AgentView = Static<typeof AgentView>;

/** Something outside of workspaces that calls may rely on, by its name and version: Writ stores nothing else of it. */
export const ExternalRef = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$',
  description: 'a name, such as `deployment:shop/production`',
});
export const ExternalVersion = Type.String({
  pattern: '^(?!absent$)[\\x21-\\x7e]{1,256}$',
  description: 'printable ASCII; what it means is between whoever sets and whoever names it',
});
export const ExternalVersionView = Type.Object(
  {
    external_version_id: idSchema('externalVersion'),
    ref: ExternalRef,
    version: ExternalVersion,
    created_at: Instant,
    updated_at: Instant,
    updated_by: Type.String({ description: 'the API key that set this version' }),
  },
  closed,
);
export type ExternalVersionView = Static<typeof ExternalVersionView>;

export const DiffView = Delta;
