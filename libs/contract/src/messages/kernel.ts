// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { BlobRef, Change } from '../delta.ts';
import { idSchema, Sha256Hex } from '../ids.ts';
import { Budgets, Grant, JobListing, SESSION_APPROVAL } from '../token.ts';
import { API_KEY_REQUESTS } from './api-keys.ts';
import { decider, PEOPLE_REQUESTS } from './people.ts';
import { AUDIO_DEVICE_REQUESTS } from './audio-devices.ts';
import { BUDGET_REQUESTS } from './budgets.ts';
import { BUNDLE_REQUESTS } from './bundles.ts';
import { CALL_DEFAULTS_REQUESTS } from './call-defaults.ts';
import { CALL_SETTINGS_REQUESTS } from './call-settings.ts';
import { CONTAINER_REQUESTS } from './containers.ts';
import { APPROVAL_QUEUE_REQUESTS } from './approval-queue.ts';
import { APPROVER_GROUP_REQUESTS } from './approver-groups.ts';
import { DELEGATION_REQUESTS } from './delegations.ts';
import { ERASURE_REQUESTS } from './erasures.ts';
import { FREEZE_REQUESTS } from './freezes.ts';
import { Caller, Page, Resolution, ExternalRef, ExternalVersion } from './operations.ts';
import { PolicyRef } from './policies.ts';
import { FUNCTION_REQUESTS } from './functions.ts';
import { conditional, fileConditional } from './if-match.ts';
import { IMAGE_REQUESTS } from './images.ts';
import { MCP_CONNECTION_REQUESTS } from './mcp-connections.ts';
import { MCP_SERVER_REQUESTS } from './mcp-servers.ts';
import { PROFILE_REQUESTS } from './profiles.ts';
import { RESOURCE_REQUESTS } from './resources.ts';
import { SANDBOX_REQUESTS } from './sandboxes.ts';
import { SECRET_REQUESTS } from './secrets.ts';
import { SchedulingClass } from '../scheduling.ts';
import { SKILL_REQUESTS } from './skills.ts';
import { TENANT_REQUESTS, WorkspaceLimitsChange } from './tenant-limits.ts';
import { TENANT_LIFE_REQUESTS } from './tenants.ts';
import { SYSTEM_REQUESTS } from './system.ts';
import { TOKEN_DRAW_REQUESTS } from './token-draw.ts';
import { TOOL_REQUESTS } from './tools.ts';
import { USAGE_REQUESTS } from './usage.ts';
import { VALUE_SCOPES } from '../tools/values.ts';
import { IdempotencyKey, ProposedCall, TaskClass } from '../tool-call.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Key = Type.String({ minLength: 1, maxLength: 64 });
const activation = { if_active: orNull(PolicyRef), note: orNull(Type.String({ maxLength: 1000 })) } as const;
const candidate = { policy: orNull(PolicyRef), document: orNull(Type.Record(Type.String(), Type.Unknown())) } as const;
/** A call for a simulation. */
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
/**
 * The number of calls that a session grant allows, and its duration in milliseconds; without one, the duration that the
 * policy in force sets.
 */
export const SessionGrantTerms = Type.Object(
  {
    uses: Type.Integer({ minimum: 1, maximum: SESSION_APPROVAL.uses.max }),
    ttl_ms: Type.Optional(Type.Integer({ minimum: 1_000, maximum: SESSION_APPROVAL.ttlMs.max })),
  },
  closed,
);
export type SessionGrantTerms = Static<typeof SessionGrantTerms>;
const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$',
  description: 'up to 64 letters, digits, spaces, `.`, `_` and `-`, of which the first is a letter or a digit',
});

/** Calls per replay: their results, at their longest, fit into one message. */
export const REPLAYED_MAX = 16;
/** A reference to a recorded call. */
export const RecordedCallRef = Type.Union([
  Type.Object({ operation_id: Key }, closed),
  Type.Object(
    { agent_id: Key, tool_id: Type.String({ minLength: 1, maxLength: 128 }), idempotency_key: IdempotencyKey },
    closed,
  ),
]);
export type RecordedCallRef = Static<typeof RecordedCallRef>;

/**
 * orchestrator → kernel. Each row: verb → request schema; the comments name the replies. Unknown ids result in Fault
 * `not_found`, whoever owns them.
 */
export const KERNEL_REQUESTS = {
  /** → OperationView */
  'operation.read': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → {items: OperationView[], next_cursor: string|null}; newest first, without results of tools. `unresolved`: only
   * ambiguous ones without a resolution. A page of any list may have fewer than `limit` entries, to fit a message.
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
      scheduling_class: Type.Optional(SchedulingClass),
      unresolved: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  /** → StoredResult: for a call whose view has a result by reference, for callers who may see it */
  'operation.result': Type.Object({ ...asked, operation_id: Key }, closed),
  /** → FullOutputRef; `output.not_kept` if there is none, or it was deleted */
  'operation.output': Type.Object({ ...asked, operation_id: Key, stream: Type.Enum(['stdout', 'stderr']) }, closed),
  /** → OperationView; a final operation is a `conflict` */
  'operation.cancel': Type.Object({ ...asked, operation_id: Key }, closed),
  /** → OperationView; repeating the same resolution changes nothing, another outcome is a `conflict` */
  'operation.resolve': Type.Object(
    { ...decider, operation_id: Key, outcome: Resolution.properties.outcome, note: Resolution.properties.note },
    closed,
  ),
  /** → ApprovalView with `you`, what the caller may decide */
  'approval.read': Type.Object({ ...decider, approval_id: Key }, closed),
  /** → PastDecisions: how approvals of calls of the same tool and agent ended */
  'approval.alike': Type.Object({ ...asked, approval_id: Key }, closed),
  /**
   * → OperationView after the decision. `effect_digest`: the effect that the person saw; if another one is staged, the
   * approval doesn't count. `session`: a session grant, as a child token for a limited number of like calls and a
   * limited time.
   */
  'approval.decide': Type.Object(
    {
      ...decider,
      approval_id: Key,
      decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
      comment: orNull(Type.String({ maxLength: 1000 })),
      effect_digest: Type.Optional(orNull(Sha256Hex)),
      session: Type.Optional(orNull(SessionGrantTerms)),
      /** the delegated right that is used, if it isn't the caller's own */
      delegation_id: Type.Optional(orNull(Key)),
    },
    closed,
  ),
  /** → OperationView of the new call, `operation_id`: the caller chooses it, so a repeated request creates it once */
  'approval.edit': Type.Object(
    {
      ...decider,
      approval_id: Key,
      operation_id: idSchema('operation'),
      args: Type.Record(Type.String(), Type.Unknown()),
      comment: orNull(Type.String({ maxLength: 1000 })),
    },
    closed,
  ),
  /**
   * → OperationView after it. `value` is sealed to the key of `value.key` for this approval alone, base64: it is not in
   * clear anywhere between the API and the kernel. Repeating it as the same person has no further effect.
   */
  'approval.give': Type.Object(
    {
      ...decider,
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
  /** → ApprovalEffect; `conflict` if no effect is staged */
  'approval.effect': Type.Object({ ...asked, approval_id: Key }, closed),
  /** → CapabilityToken & TokenUse */
  'token.issue': Type.Object({ ...asked, agent_id: Key, workspace_id: orNull(Key), grant: Grant }, closed),
  /** `workspace_id`: the child's workspace, the parent's by default. Absent from an older peer. */
  'token.attenuate': Type.Object(
    { ...asked, parent_id: Key, agent_id: orNull(Key), workspace_id: Type.Optional(orNull(Key)), grant: Grant },
    closed,
  ),
  /**
   * → TokenView: a child of the token for the caller's agent. Binds the credential `api_key_id`, which the orchestrator
   * makes after the reply, to it: no call of the credential uses another token, unless it derives from the child. The
   * grant ends when the credential does.
   */
  'credential.exchange': Type.Object(
    {
      ...asked,
      api_key_id: idSchema('apiKey'),
      parent_id: Key,
      workspace_id: Type.Optional(orNull(Key)),
      grant: Grant,
    },
    closed,
  ),
  /**
   * → TokenView: that of the sub-agent of a committed call of `agent.spawn`; made once, however often it is requested
   */
  'token.spawn': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → TokenView: a child of the token with the same grant, for the runs of a job, with the tools that an administrator
   * lists for them
   */
  'token.list_for_job': Type.Object({ ...asked, parent_id: Key, workspace_id: Key, job: JobListing }, closed),
  ...TOKEN_DRAW_REQUESTS,
  'token.read': Type.Object({ ...asked, capability_token_id: Key }, closed),
  /** → {items, next_cursor}; `parent_id`: only direct children of that token. Absent from an older peer. */
  'token.list': Type.Object(
    { ...asked, page: Page, agent_id: orNull(Key), parent_id: Type.Optional(orNull(Key)) },
    closed,
  ),
  'token.revoke': Type.Object({ ...asked, ...conditional, capability_token_id: Key }, closed),
  /** → AgentView */
  'agent.create': Type.Object({ ...asked, name: Name }, closed),
  'agent.read': Type.Object({ ...asked, agent_id: Key }, closed),
  'agent.list': Type.Object({ ...asked, page: Page }, closed),
  /** → WorkspaceView */
  'workspace.create': Type.Object({ ...asked, name: Name }, closed),
  'workspace.read': Type.Object({ ...asked, workspace_id: Key }, closed),
  'workspace.list': Type.Object({ ...asked, page: Page }, closed),
  /**
   * → WorkspaceView; the uploaded contents are stored as blobs already. `before` of each change is ignored: an upload
   * replaces the current content. `if_match` and `if_absent`, with a single change: the SHA-256 of what is at its path.
   */
  'workspace.change': Type.Object(
    { ...asked, ...fileConditional, workspace_id: Key, changes: Type.Array(Change, { minItems: 1, maxItems: 5000 }) },
    closed,
  ),
  /** → {items: SnapshotView[], next_cursor}; newest first */
  'workspace.snapshots': Type.Object({ ...asked, workspace_id: Key, page: Page }, closed),
  /**
   * → {snapshot_id} if the snapshot is in the workspace's history, else `not_found`; null means the head, or with `at`
   * (milliseconds) the head at that time. Absent from an older peer.
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
   * → WorkspaceView: one change with the contents of an archive. `changes_ref`: a blob with the JSON of the changes,
   * none beside `path`; contents are blobs already. `replace`: entries at `path` that are not among them are deleted
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
   * → WorkspaceView: restores the entries at `path` and below it (`''`: everything) from that snapshot of the history.
   * `if_head`: a `conflict` unless that is the head
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
  /** → WorkspaceLimits after the change */
  'workspace.limits.set': Type.Object({ ...asked, workspace_id: Key, change: WorkspaceLimitsChange }, closed),
  /**
   * → ExternalVersionView; a compare-and-swap: `expected_version` is null for a new one, and a version other than the
   * current one is a `conflict`
   */
  'external_version.set': Type.Object(
    { ...asked, ref: ExternalRef, version: ExternalVersion, expected_version: orNull(Type.String({ maxLength: 256 })) },
    closed,
  ),
  /** → {items: ExternalVersionView[], next_cursor}; newest first; `ref`: that one alone */
  'external_version.list': Type.Object({ ...asked, page: Page, ref: orNull(Type.String({ maxLength: 4096 })) }, closed),
  /** → PolicyPut: all its problems, or the stored set; putting the same set twice stores it once */
  'policy.put': Type.Object({ ...asked, document: Type.Record(Type.String(), Type.Unknown()) }, closed),
  /** → PolicyPage */
  'policy.list': Type.Object({ ...asked, page: Page }, closed),
  /** → PolicySetWhole; null: the set in force */
  'policy.read': Type.Object({ ...asked, policy: orNull(PolicyRef) }, closed),
  /** → PolicyDiff; null: the set in force */
  'policy.diff': Type.Object({ ...asked, from: orNull(PolicyRef), to: orNull(PolicyRef) }, closed),
  /**
   * → PolicyActivation; `if_active`: a `conflict` unless this set is in force. `policy.invalid` for a set with rules
   * that can never apply, unless `allow_impossible`. Absent from an older peer.
   */
  'policy.activate': Type.Object(
    { ...asked, policy: PolicyRef, ...activation, allow_impossible: Type.Optional(Type.Boolean()) },
    closed,
  ),
  /** → PolicyActivation: the set before the newest activation is activated again */
  'policy.rollback': Type.Object({ ...asked, ...activation }, closed),
  /** → {items: PolicyActivation[], next_cursor}; newest first */
  'policy.activations': Type.Object({ ...asked, page: Page }, closed),
  /** → PolicyTimes of the set in force, for every role */
  'policy.times': Type.Object({ ...asked }, closed),
  /** → PolicySchemaView */
  'policy.schema': Type.Object({ ...asked }, closed),
  /** → PolicyTemplateList */
  'policy.templates': Type.Object({ ...asked }, closed),
  /**
   * → Simulation of one call; `document`: under a set that isn't stored, else under `policy`, else under the set in
   * force
   */
  'policy.simulate': Type.Object({ ...asked, ...candidate, call: SimulatedCall }, closed),
  /**
   * → Backtest: one signed page over recorded operations, newest first. `effects`: committed effects are judged as
   * well; then a page may end before its `limit`. Absent from an older peer.
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
   * → PolicyReplay: the decisions of the original set and of the candidate on these calls. A call without a known id is
   * named by its idempotency key
   */
  'policy.replay': Type.Object(
    { ...asked, ...candidate, calls: Type.Array(RecordedCallRef, { maxItems: REPLAYED_MAX }) },
    closed,
  ),
  /** → EgressRequestPage, in the order of the requests */
  'operation.requests': Type.Object({ ...asked, operation_id: Key, page: Page }, closed),
  /** → OperationExplanation */
  'operation.explain': Type.Object({ ...asked, operation_id: Key }, closed),
  /**
   * → {recorded: record_id}: writes a record of kind `change` for a state that the orchestrator stores (API keys),
   * before it takes effect. `digest`: of the new state. Revoking a key also revokes the delegations that it made
   */
  'change.record': Type.Object(
    {
      ...asked,
      verb: Type.String({ pattern: '^[a-z_]{1,64}$' }),
      subject: Type.String({ maxLength: 128 }),
      digest: Type.Optional(Sha256Hex),
      /**
       * with the verb `oauth_credential_created`: the keyed hash of issuer and subject that the credential is of. It
       * stays so. Absent from an older peer.
       */
      subject_hash: Type.Optional(Sha256Hex),
      /** the platform key makes the change: `caller` tells the tenant alone; from an older peer absent */
      by_platform: Type.Optional(Type.Literal(true)),
    },
    closed,
  ),
  ...API_KEY_REQUESTS,
  ...BUDGET_REQUESTS,
  ...PEOPLE_REQUESTS,
  ...BUNDLE_REQUESTS,
  ...CALL_DEFAULTS_REQUESTS,
  ...USAGE_REQUESTS,
  ...CALL_SETTINGS_REQUESTS,
  ...APPROVAL_QUEUE_REQUESTS,
  ...APPROVER_GROUP_REQUESTS,
  ...DELEGATION_REQUESTS,
  ...ERASURE_REQUESTS,
  ...FREEZE_REQUESTS,
  ...FUNCTION_REQUESTS,
  ...TENANT_REQUESTS,
  ...TENANT_LIFE_REQUESTS,
  ...SYSTEM_REQUESTS,
  ...TOOL_REQUESTS,
  ...SECRET_REQUESTS,
  ...CONTAINER_REQUESTS,
  ...RESOURCE_REQUESTS,
  ...AUDIO_DEVICE_REQUESTS,
  ...SANDBOX_REQUESTS,
  ...IMAGE_REQUESTS,
  ...MCP_CONNECTION_REQUESTS,
  ...MCP_SERVER_REQUESTS,
  ...PROFILE_REQUESTS,
  ...SKILL_REQUESTS,
} as const;
export type KernelVerb = keyof typeof KERNEL_REQUESTS;
export type KernelRequest<V extends KernelVerb> = Static<(typeof KERNEL_REQUESTS)[V]>;

/**
 * orchestrator → kernel: `kernel.tenant.create` → {tenant_id}; used with the platform key, which belongs to no tenant.
 */
export const TenantCreate = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), name: Name, admin_key_id: idSchema('apiKey') },
  closed,
);
export type TenantCreate = Static<typeof TenantCreate>;

/** Whether any token of the chain limits `llm_tokens`. If not, reservations have no effect, and never will. */
export const TokenReservationReply = Type.Object({ bounded: Type.Boolean() }, closed);
export type TokenReservationReply = Static<typeof TokenReservationReply>;

/**
 * The changing part of a token's view, beside the immutable grant. Amounts are by dimension, for limited ones: `used`
 * is settled, `reserved` is held by unfinished calls and by runs whose model replies, `left` is available to the next
 * call: the minimum over the token and those above it.
 */
export const TokenUse = Type.Object({
  used: Budgets,
  reserved: Budgets,
  left: Budgets,
  chain: Type.Array(idSchema('token'), { description: 'the way to it, root first, itself last' }),
  revoked: Type.Boolean({ description: 'it, or one above it' }),
});
export type TokenUse = Static<typeof TokenUse>;
