// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { BlobRef, Change } from '../delta.ts';
import { idSchema, Sha256Hex } from '../ids.ts';
import { Budgets, Grant, JobListing, SESSION_APPROVAL } from '../token.ts';
import { API_KEY_REQUESTS } from './api-keys.ts';
import { BUNDLE_REQUESTS } from './bundles.ts';
import { CONTAINER_REQUESTS } from './containers.ts';
import { DELEGATION_REQUESTS } from './delegations.ts';
import { ERASURE_REQUESTS } from './erasures.ts';
import { FREEZE_REQUESTS } from './freezes.ts';
import { Caller, Page, Resolution, ResourceRef, ResourceVersion } from './operations.ts';
import { PolicyRef } from './policies.ts';
import { PROFILE_REQUESTS } from './profiles.ts';
import { SANDBOX_REQUESTS } from './sandboxes.ts';
import { SECRET_REQUESTS } from './secrets.ts';
import { SKILL_REQUESTS } from './skills.ts';
import { TENANT_REQUESTS, WorkspaceLimitsChange } from './tenant-limits.ts';
import { TOOL_REQUESTS } from './tools.ts';
import { VALUE_SCOPES } from '../tools/values.ts';
import { IdempotencyKey, ProposedCall, TaskClass } from '../tool-call.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });
const activation = { if_active: orNull(PolicyRef), note: orNull(Type.String({ maxLength: 1000 })) } as const;
const candidate = { policy: orNull(PolicyRef), document: orNull(Type.Record(Type.String(), Type.Unknown())) } as const;
/** A call that is only asked about. */
export const SimulatedCall = Type.Object(
  {
    agent_id: Key,
    capability_token_id: Key,
    workspace_id: Key,
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    args: Type.Record(Type.String(), Type.Unknown()),
    session_id: orNull(Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' })),
    session_mode: ProposedCall.properties.session_mode,
    max_autonomy: ProposedCall.properties.max_autonomy,
    task_class: TaskClass,
  },
  closed,
);
export type SimulatedCall = Static<typeof SimulatedCall>;
/** How many calls a session grant serves, and for how many milliseconds. */
export const SessionAsk = Type.Object(
  {
    uses: Type.Integer({ minimum: 1, maximum: SESSION_APPROVAL.uses.max }),
    ttl_ms: Type.Integer({ minimum: 1_000, maximum: SESSION_APPROVAL.ttlMs.max }),
  },
  closed,
);
export type SessionAsk = Static<typeof SessionAsk>;
/** Two of them are counted together without loss. */
const Amount = Type.Integer({ minimum: 0, maximum: 2 ** 48 });
const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$' });

/** Calls of one replay: what is said of each, at its longest, has to fit a message with that of the others. */
export const REPLAYED_MAX = 16;
/** A call that was made before. */
export const RecordedCallRef = Type.Union([
  Type.Object({ operation_id: Key }, closed),
  Type.Object(
    { agent_id: Key, tool_id: Type.String({ minLength: 1, maxLength: 128 }), idempotency_key: IdempotencyKey },
    closed,
  ),
]);
export type RecordedCallRef = Static<typeof RecordedCallRef>;

/**
 * orchestrator → kernel. Each row: verb → request schema; replies are named in the comment. Unknown ids answer Fault
 * `not_found`, whosever they are.
 */
export const KERNEL_REQUESTS = {
  /** → OperationView */
  'operation.read': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → {items: OperationView[], next_cursor: string|null}; newest first, without what the tools returned. `unresolved`:
   * only ambiguous ones that nobody has resolved. A page of any list may hold fewer than `limit`, to fit a message.
   */
  'operation.list': Type.Object(
    {
      ...asked,
      page: Page,
      state: orNull(Type.String()),
      tool_id: orNull(Type.String()),
      agent_id: orNull(Type.String()),
      workspace_id: orNull(Type.String()),
      session_id: orNull(Type.String()),
      unresolved: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  /** → StoredResult: of a call whose view names a result by reference, to who may see that */
  'operation.result': Type.Object({ ...asked, operation_id: Key }, closed),
  /** → KeptOutput; `output.not_kept` where there is none, or none any more */
  'operation.output': Type.Object({ ...asked, operation_id: Key, stream: Type.Enum(['stdout', 'stderr']) }, closed),
  /** → OperationView; a final operation is a `conflict` */
  'operation.cancel': Type.Object({ ...asked, operation_id: Key }, closed),
  /** → OperationView; said twice it is said once, another outcome than was said before is a `conflict` */
  'operation.resolve': Type.Object(
    { ...asked, operation_id: Key, outcome: Resolution.properties.outcome, note: Resolution.properties.note },
    closed,
  ),
  /** → {items: ApprovalView[], next_cursor} */
  'approval.list': Type.Object({ ...asked, page: Page, state: orNull(Type.String()) }, closed),
  /** → ApprovalView */
  'approval.read': Type.Object({ ...asked, approval_id: Key }, closed),
  /**
   * → OperationView after the decision. `effect_digest`: what the person saw; with another staged the approval doesn't
   * count. `session`: a yes for calls like it in the same session, as a child token that serves so many of them for so
   * long.
   */
  'approval.decide': Type.Object(
    {
      ...asked,
      approval_id: Key,
      decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
      comment: orNull(Type.String({ maxLength: 1000 })),
      effect_digest: Type.Optional(orNull(Sha256Hex)),
      session: Type.Optional(orNull(SessionAsk)),
      /** the right that is used, where it isn't the caller's own */
      delegation_id: Type.Optional(orNull(Key)),
    },
    closed,
  ),
  /** → OperationView of the new call, `operation_id`: made by the asker, so that asked twice it is made once */
  'approval.edit': Type.Object(
    {
      ...asked,
      approval_id: Key,
      operation_id: idSchema('operation'),
      args: Type.Record(Type.String(), Type.Unknown()),
      comment: orNull(Type.String({ maxLength: 1000 })),
    },
    closed,
  ),
  /**
   * → OperationView after it. `value` is sealed to the key of `value.key` for this approval alone, base64: it is in
   * clear nowhere between the API and the kernel. Given twice by the same person it is given once.
   */
  'approval.give': Type.Object(
    {
      ...asked,
      approval_id: Key,
      value: Type.String({ minLength: 1, maxLength: 32_768 }),
      scope: Type.Enum(VALUE_SCOPES),
      note: orNull(Type.String({ maxLength: 1000 })),
      comment: orNull(Type.String({ maxLength: 1000 })),
    },
    closed,
  ),
  /** → {public_key}: X25519, base64: values that people give are sealed to it */
  'value.key': Type.Object({ ...asked }, closed),
  /** → ApprovalEffect; `conflict` where no effect is staged */
  'approval.effect': Type.Object({ ...asked, approval_id: Key }, closed),
  /** → CapabilityToken & TokenUse */
  'token.issue': Type.Object({ ...asked, agent_id: Key, workspace_id: orNull(Key), grant: Grant }, closed),
  /** `workspace_id`: the one that the child is for, the parent's unless said. Absent where an older peer asks. */
  'token.attenuate': Type.Object(
    { ...asked, parent_id: Key, agent_id: orNull(Key), workspace_id: Type.Optional(orNull(Key)), grant: Grant },
    closed,
  ),
  /**
   * → TokenView: that of the sub-agent which a committed call of `agent.spawn` is for; made once, however often it is
   * asked for
   */
  'token.spawn': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → TokenView: a child of the token that grants what it grants, for the runs of a job, with what an administrator
   * lists for them
   */
  'token.list_for_job': Type.Object({ ...asked, parent_id: Key, workspace_id: Key, job: JobListing }, closed),
  /**
   * → TokenDrawn: what a run used in all of its token's `llm_tokens`, and what its next reply may use. Absolute
   * figures, so said again they change nothing. `fence` and `place`: under which claim of the run, and which draw of
   * that; one that comes after a later one is a `conflict`. What is used is settled whatever is left. Faults of the
   * reservation, none being left then: `budget.exhausted`, `token.revoked`, `token.expired`, `token.not_yet_valid`
   */
  'token.draw': Type.Object(
    {
      ...asked,
      capability_token_id: Key,
      run_id: idSchema('run'),
      fence: Amount,
      place: Amount,
      used_total: Amount,
      reserve: Amount,
    },
    closed,
  ),
  'token.read': Type.Object({ ...asked, capability_token_id: Key }, closed),
  /**
   * → {items, next_cursor}; `parent_id`: only what was made of that token, one step below it. Absent where an older
   * peer asks.
   */
  'token.list': Type.Object(
    { ...asked, page: Page, agent_id: orNull(Key), parent_id: Type.Optional(orNull(Key)) },
    closed,
  ),
  'token.revoke': Type.Object({ ...asked, capability_token_id: Key }, closed),
  /** → AgentView */
  'agent.create': Type.Object({ ...asked, name: Name }, closed),
  'agent.read': Type.Object({ ...asked, agent_id: Key }, closed),
  'agent.list': Type.Object({ ...asked, page: Page }, closed),
  /** → WorkspaceView */
  'workspace.create': Type.Object({ ...asked, name: Name }, closed),
  'workspace.read': Type.Object({ ...asked, workspace_id: Key }, closed),
  'workspace.list': Type.Object({ ...asked, page: Page }, closed),
  /**
   * → WorkspaceView; the uploaded contents are blobs already. `before` of each change is ignored: an upload replaces
   * what is there.
   */
  'workspace.change': Type.Object(
    { ...asked, workspace_id: Key, changes: Type.Array(Change, { minItems: 1, maxItems: 5000 }) },
    closed,
  ),
  /** → {items: SnapshotView[], next_cursor}; newest first */
  'workspace.snapshots': Type.Object({ ...asked, workspace_id: Key, page: Page }, closed),
  /**
   * → {snapshot_id} when the snapshot is one of the workspace's history, else `not_found`; null asks for the head, or
   * with `at` (milliseconds) for the state that was the head then. Absent where an older peer asks.
   */
  'workspace.snapshot': Type.Object(
    {
      ...asked,
      workspace_id: Key,
      snapshot_id: orNull(Type.String({ maxLength: 80 })),
      at: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
    },
    closed,
  ),
  /**
   * → WorkspaceView: one change that brings what an archive held. `changes_ref`: a blob with the JSON of the changes,
   * none beside `path`; contents are blobs already. `replace`: what is at `path` and not among them is taken away
   */
  'workspace.import': Type.Object(
    {
      ...asked,
      workspace_id: Key,
      changes_ref: BlobRef,
      path: Type.String({ maxLength: 4096 }),
      replace: Type.Boolean(),
    },
    closed,
  ),
  /**
   * → WorkspaceView: what is at `path` and below it (`''`: everything) becomes what it was in that snapshot of the
   * history. `if_head`: a `conflict` unless that is the head
   */
  'workspace.restore': Type.Object(
    {
      ...asked,
      workspace_id: Key,
      snapshot_id: Type.String({ maxLength: 80 }),
      path: Type.String({ maxLength: 4096 }),
      if_head: orNull(Type.String({ maxLength: 80 })),
    },
    closed,
  ),
  /** → WorkspaceLimits */
  'workspace.limits.read': Type.Object({ ...asked, workspace_id: Key }, closed),
  /** → WorkspaceLimits as they are then */
  'workspace.limits.set': Type.Object({ ...asked, workspace_id: Key, change: WorkspaceLimitsChange }, closed),
  /**
   * → ResourceView; a compare-and-swap: `expected_version` is null for a resource that isn't there yet, and another
   * than stands is a `conflict`
   */
  'resource.set': Type.Object(
    { ...asked, ref: ResourceRef, version: ResourceVersion, expected_version: orNull(Type.String({ maxLength: 256 })) },
    closed,
  ),
  /** → {items: ResourceView[], next_cursor}; newest first; `ref`: that one alone */
  'resource.list': Type.Object({ ...asked, page: Page, ref: orNull(Type.String({ maxLength: 4096 })) }, closed),
  /** → PolicyPut: everything that is wrong with it, or what was stored; the same set put twice is stored once */
  'policy.put': Type.Object({ ...asked, document: Type.Record(Type.String(), Type.Unknown()) }, closed),
  /** → PolicyPage */
  'policy.list': Type.Object({ ...asked, page: Page }, closed),
  /** → PolicySetWhole; null: the one in force */
  'policy.read': Type.Object({ ...asked, policy: orNull(PolicyRef) }, closed),
  /** → PolicyDiff; null: the one in force */
  'policy.diff': Type.Object({ ...asked, from: orNull(PolicyRef), to: orNull(PolicyRef) }, closed),
  /**
   * → PolicyActivation; `if_active`: a `conflict` unless this set is in force. `policy.invalid` for a set with rules
   * that can never apply, unless `allow_impossible`. Absent where an older peer asks.
   */
  'policy.activate': Type.Object(
    { ...asked, policy: PolicyRef, ...activation, allow_impossible: Type.Optional(Type.Boolean()) },
    closed,
  ),
  /** → PolicyActivation: what was in force before the newest activation is activated once more */
  'policy.rollback': Type.Object({ ...asked, ...activation }, closed),
  /** → {items: PolicyActivation[], next_cursor}; newest first */
  'policy.activations': Type.Object({ ...asked, page: Page }, closed),
  /** → PolicySchemaView */
  'policy.schema': Type.Object({ ...asked }, closed),
  /** → PolicyTemplateList */
  'policy.templates': Type.Object({ ...asked }, closed),
  /**
   * → Simulation of one call; `document`: under a set that isn't stored, else under `policy`, else under the one in
   * force
   */
  'policy.simulate': Type.Object({ ...asked, ...candidate, call: SimulatedCall }, closed),
  /**
   * → Backtest: one signed page over recorded operations, newest first. `effects`: what they committed is judged as
   * well; a page may end before its `limit` then. Absent where an older peer asks.
   */
  'policy.backtest': Type.Object(
    {
      ...asked,
      ...candidate,
      since: Type.Integer({ minimum: 0 }),
      cursor: orNull(Type.String({ maxLength: 256 })),
      limit: Type.Integer({ minimum: 1, maximum: 200 }),
      effects: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  /**
   * → PolicyReplay: what the set that decided and the candidate say of these calls. One that no id is known of is named
   * by its idempotency key
   */
  'policy.replay': Type.Object(
    { ...asked, ...candidate, calls: Type.Array(RecordedCallRef, { maxItems: REPLAYED_MAX }) },
    closed,
  ),
  /** → EgressRequestPage, in the order in which they were made */
  'operation.requests': Type.Object({ ...asked, operation_id: Key, page: Page }, closed),
  /** → OperationExplanation */
  'operation.explain': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → {recorded: record_id}: writes a record of kind `change` for a state that the orchestrator keeps (API keys),
   * before it takes effect. `digest`: of what it is changed to. With a key that is revoked go the delegations that it
   * made
   */
  'change.record': Type.Object(
    {
      ...asked,
      verb: Type.String({ pattern: '^[a-z_]{1,64}$' }),
      subject: Type.String({ maxLength: 128 }),
      digest: Type.Optional(Sha256Hex),
    },
    closed,
  ),
  ...API_KEY_REQUESTS,
  ...BUNDLE_REQUESTS,
  ...DELEGATION_REQUESTS,
  ...ERASURE_REQUESTS,
  ...FREEZE_REQUESTS,
  ...TENANT_REQUESTS,
  ...TOOL_REQUESTS,
  ...SECRET_REQUESTS,
  ...CONTAINER_REQUESTS,
  ...SANDBOX_REQUESTS,
  ...PROFILE_REQUESTS,
  ...SKILL_REQUESTS,
} as const;
export type KernelVerb = keyof typeof KERNEL_REQUESTS;
export type KernelRequest<V extends KernelVerb> = Static<(typeof KERNEL_REQUESTS)[V]>;

/** orchestrator → kernel: `kernel.tenant.create` → {tenant_id}; the platform key stands behind it, no tenant's. */
export const TenantCreate = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), name: Name, admin_key_id: idSchema('apiKey') },
  closed,
);
export type TenantCreate = Static<typeof TenantCreate>;

/**
 * What became of a draw: where no token of the chain bounds `llm_tokens`, there is nothing to draw on, and never will
 * be.
 */
export const TokenDrawn = Type.Object({ bounded: Type.Boolean() }, closed);
export type TokenDrawn = Static<typeof TokenDrawn>;

/**
 * What callers see of a token beside the immutable grant. Amounts are by dimension, of those that are bounded: `used`
 * is settled, `reserved` is held by calls that have not ended and by runs whose model replies, `left` is what the next
 * one can have, the least over the token and those above it.
 */
export const TokenUse = Type.Object({
  used: Budgets,
  reserved: Budgets,
  left: Budgets,
  chain: Type.Array(idSchema('token'), { description: 'the way to it, root first, itself last' }),
  revoked: Type.Boolean({ description: 'it, or one above it' }),
});
export type TokenUse = Static<typeof TokenUse>;
