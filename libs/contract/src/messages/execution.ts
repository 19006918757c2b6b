// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { BlobRef, Delta } from '../delta.ts';
import { idSchema, Sha256Hex, SnapshotId } from '../ids.ts';
import { RegisteredImage } from '../images/image-source.ts';
import { LIMITS } from '../limits.ts';
import { Envelope, PermitMode } from '../permit.ts';
import { UsageCounter } from '../states.ts';
import { BoundResource, CALL_RESOURCES_MAX } from '../resources/resource-kinds.ts';
import { NetGrant, ScopeRoot } from '../token.ts';
import { TenantTool } from '../tools/tenant-tool.ts';
import { SkillForCall, SkillLine } from '../tools/skills.ts';
import { ContainerState } from '../tools/containers.ts';
import { AgentState } from '../tools/manage-agents.ts';
import { SessionTasks } from '../tools/tasks.ts';
import { ContentKey, ContentOpening } from './contents.ts';
import { AnnouncedRequests, EgressRequest } from './egress.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Nonce = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'made once per redemption; the same one may ask again',
});
const Instant = Type.Integer({ minimum: 0 });
const PublicKey = Type.String({ maxLength: 64, description: 'X25519, base64: secrets are sealed to it' });
const Mark = Type.String({
  maxLength: 64,
  description: "the executor's own timestamp of the message, which only it interprets",
});

/**
 * Identifies the attempt that sends the message. Any other executor, attempt, mode or nonce is fenced. `mode` is absent
 * from an older peer, and then means `run`.
 */
const AttemptCredentials = {
  tenant_id: idSchema('tenant'),
  operation_id: idSchema('operation'),
  attempt: Type.Integer({ minimum: 1 }),
  mode: Type.Optional(PermitMode),
  executor_id: idSchema('executor'),
  nonce: Nonce,
};

/**
 * Members of a redemption that an executor may not know: it refuses a redemption that has others than it knows, since
 * they may restrict the call. So the kernel sends them to an executor that says that it knows them.
 */
export const REDEMPTION_MEMBERS = ['acts_for', 'session'] as const satisfies readonly (keyof Redemption)[];
/** Names of such members. A newer executor may know more of them. */
const Known = Type.Array(Type.String({ pattern: '^[a-z_]{1,64}$' }), { maxItems: 64 });

/** executor → kernel: `kernel.redeem`. */
export const RedeemRequest = Type.Object(
  {
    v: Type.Literal(1),
    permit: Envelope,
    executor_id: idSchema('executor'),
    nonce: Nonce,
    public_key: Type.Optional({
      ...PublicKey,
      description: 'X25519, base64: secrets are sealed to it; absent: none are sent',
    }),
    knows: Type.Optional({ ...Known, description: 'absent from an older peer: it refuses all of them' }),
  },
  closed,
);
export type RedeemRequest = Static<typeof RedeemRequest>;

export const CallLimits = Type.Object(
  {
    wall_ms: Type.Integer(),
    cpu_ms: Type.Integer(),
    memory_bytes: Type.Integer(),
    pids: Type.Integer(),
    disk_write_bytes: Type.Integer(),
    output_bytes: Type.Integer(),
    egress_bytes: Type.Optional(Type.Integer()),
    egress_requests: Type.Optional(Type.Integer()),
  },
  closed,
);
export type CallLimits = Static<typeof CallLimits>;

/** The kernel's reply: everything that the call needs. Its parts must hash to the permit's action digest. */
export const Redemption = Type.Object(
  {
    v: Type.Literal(1),
    operation_id: idSchema('operation'),
    tenant_id: idSchema('tenant'),
    attempt: Type.Integer({ minimum: 1 }),
    tool_id: Type.String(),
    tool_definition_digest: Sha256Hex,
    args: orNull(Type.Record(Type.String(), Type.Unknown())),
    args_ref: orNull(BlobRef),
    /** opens arguments by reference; absent if there are none, or if they are from before contents were sealed */
    args_key: Type.Optional(ContentKey),
    /**
     * the key for sealing the attempt's long result, long list of requests and full output; absent from an older peer:
     * then they are stored unsealed
     */
    content_key: Type.Optional(ContentKey),
    args_salt: Type.String({ description: 'base64, 32 bytes' }),
    capability_token_id: Type.String(),
    /**
     * for whom the call acts: the pseudonym of a person, or the API key where no person is known. What the executor
     * keeps between calls, it keeps for one of them. Absent from an older peer: nothing is kept. For calls of programs
     */
    acts_for: Type.Optional(Type.String({ maxLength: 128 })),
    /** whose labels count for the call: the session, or the token where it has none. Absent with `acts_for` */
    session: Type.Optional(Type.String({ maxLength: 128 })),
    policy_hash: Sha256Hex,
    workspace_id: idSchema('workspace'),
    state_snapshot_id: SnapshotId,
    image_digest: orNull(Type.String()),
    fs: Type.Array(Type.Array(ScopeRoot), {
      description:
        'the roots of each token of the chain, then those of the tenant: a path is reachable when every one reaches it',
    }),
    net: Type.Optional(
      Type.Array(Type.Array(NetGrant), {
        description:
          'the hosts of each token of the chain: a request may leave when every one grants it; absent: none may',
      }),
    ),
    /** values that are not secret, in clear */
    secrets: Type.Record(Type.String(), Type.String()),
    /**
     * secrets that the arguments or the settings of resources name (`RESOURCE_SECRET_PREFIX`), sealed to the key of the
     * request, base64
     */
    sealed: Type.Optional(Type.Record(Type.String(), Type.String())),
    cli_tool: Type.Optional(TenantTool),
    /**
     * for a script in a registered sandbox: the signed bytes, base64. Their digest is part of the tool's, so others are
     * refused
     */
    sandbox: Type.Optional(
      Type.Object({ definition: Type.String(), statement: Type.String(), keyid: Type.String() }, closed),
    ),
    /**
     * for a raw command: its execution profile, base64 of the RFC 8785 bytes. Their digest is part of the tool's, so
     * others are refused
     */
    profile: Type.Optional(Type.String()),
    /** the tenant's image that the call runs in; its digest is that of the permit, so another is refused */
    image: Type.Optional(RegisteredImage),
    /** the registered resources that the arguments name, in their order; their digests are part of the tool's */
    resources: Type.Optional(Type.Array(BoundResource, { maxItems: CALL_RESOURCES_MAX })),
    /** for a call on an audio device: the key that its recordings are sealed with */
    audio_key: Type.Optional(ContentKey),
    /** for `skill.read`: the skill that it names */
    skill: Type.Optional(SkillForCall),
    /** for a script that lists skills: those of the tenant, at the time of redemption; absent where there are none */
    skills: Type.Optional(Type.Array(SkillLine)),
    /** for `container.access`: what is known of the container, at the time of redemption */
    container: Type.Optional(ContainerState),
    /** for calls about another agent: what is known of it, at the time of redemption */
    agent: Type.Optional(AgentState),
    /** for tools on tasks: the tasks of the call's session, at the time of redemption */
    tasks: Type.Optional(SessionTasks),
    /**
     * JSON pointers to what the executor redacts of the result before anybody gets it; absent: nothing. The kernel
     * refuses a result that still has any of it
     */
    redact: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    limits: CallLimits,
    /**
     * base64 of tree nodes that the call reads first, as far as the kernel has them cached. Each counts under its
     * computed hash, not under one that the message names
     */
    nodes: Type.Array(Type.String(), { maxItems: 8 }),
    lease_until: Instant,
    lease_ms: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export type Redemption = Static<typeof Redemption>;

/** executor → kernel: `kernel.renew`, every third of the lease. */
export const RenewRequest = Type.Object(
  { v: Type.Literal(1), ...AttemptCredentials, announced: Type.Optional(AnnouncedRequests) },
  closed,
);
export type RenewRequest = Static<typeof RenewRequest>;
/** `stop` orders the executor to kill the call: it was cancelled or its token revoked. */
export const RenewReply = Type.Object({ v: Type.Literal(1), lease_until: Instant, stop: Type.Boolean() }, closed);
export type RenewReply = Static<typeof RenewReply>;

/**
 * executor → kernel: `kernel.effect_started`, before each external request that isn't safe (RFC 9110 §9.2.1) is sent,
 * with its line.
 */
export const EffectStartedRequest = RenewRequest;

/**
 * executor → kernel: `kernel.release`: the executor has stopped the attempt, nothing of it runs any more, and its lease
 * need not expire first. `stopping`: because the executor itself stops, which does not count against the call.
 * Otherwise the call ends or is retried, as if its lease had expired now.
 */
export const ReleaseRequest = Type.Object(
  { v: Type.Literal(1), ...AttemptCredentials, stopping: Type.Boolean() },
  closed,
);
export type ReleaseRequest = Static<typeof ReleaseRequest>;
export const ReleaseReply = Type.Object({ v: Type.Literal(1) }, closed);
export type ReleaseReply = Static<typeof ReleaseReply>;

export const EndedBy = Type.Union(
  [
    Type.Literal('exited'),
    Type.Literal('failed'),
    Type.Literal('timeout'),
    Type.Literal('killed'),
    Type.Literal('limit'),
    Type.Literal('invalid'),
  ],
  {
    description:
      'failed: the tool itself reported an error (`error` has the reason); invalid: the output of the sandbox is no effect',
  },
);

export type EndedBy = Static<typeof EndedBy>;

export const Usage = Type.Object(
  {
    wall_ms: Type.Integer({ minimum: 0 }),
    cpu_ms: Type.Integer({ minimum: 0 }),
    memory_peak_bytes: Type.Integer({ minimum: 0 }),
    disk_write_bytes: Type.Integer({ minimum: 0 }),
    output_bytes: Type.Integer({ minimum: 0 }),
    egress_bytes: Type.Optional(Type.Integer({ minimum: 0 })),
    /**
     * who counted `cpu_ms` and `memory_peak_bytes`; absent if nothing was counted in a sandbox, and from an older peer
     */
    counted_by: Type.Optional(UsageCounter),
  },
  closed,
);
export type Usage = Static<typeof Usage>;

/** A host or secret that a preview needed and did not receive. */
export const UnmetNeed = Type.Object(
  { kind: Type.Union([Type.Literal('egress'), Type.Literal('secret')]), what: Type.String({ maxLength: 512 }) },
  closed,
);
export type UnmetNeed = Static<typeof UnmetNeed>;

/**
 * One stream of a command's output, redacted, from its beginning. As for every sealed content, the hash is that of the
 * stored bytes, and the size that of the content.
 */
export const OutputRef = Type.Object(
  {
    ...BlobRef.properties,
    size: Type.Integer({ minimum: 0, maximum: LIMITS.keptOutputBytes.max }),
    content_sha256: Type.Optional({
      ...Sha256Hex,
      description: "of the content, as the executor reported it; absent if it isn't sealed: then `sha256` is",
    }),
    cut: Type.Boolean({
      description: 'the command wrote more, on this stream or the other, than is read of one command',
    }),
  },
  closed,
);
export type OutputRef = Static<typeof OutputRef>;
export const OutputRefs = Type.Object({ stdout: OutputRef, stderr: OutputRef }, closed);
export type OutputRefs = Static<typeof OutputRefs>;

/**
 * kernel → orchestrator: the reference to one stream of a full output, its expiry, and the key that opens it. `opens`
 * is absent for one from before contents were sealed.
 */
export const FullOutputRef = Type.Object(
  { v: Type.Literal(1), ref: OutputRef, expires_at: Instant, opens: Type.Optional(ContentOpening) },
  closed,
);
export type FullOutputRef = Static<typeof FullOutputRef>;

/**
 * executor → kernel: `kernel.report`. The effect is staged: its contents are stored or included, and the workspace is
 * unchanged. Contents behind `result_ref`, `requests_ref` and `output_refs` are sealed under the redemption's
 * `content_key`: their hashes are of the stored bytes, their sizes of the contents. `result_hash` is that of the
 * result's content.
 */
export const ReportRequest = Type.Object(
  {
    v: Type.Literal(1),
    ...AttemptCredentials,
    ended: EndedBy,
    exit_code: orNull(Type.Integer()),
    error: orNull(Type.Object({ code: Type.String(), message: Type.String(), hint: orNull(Type.String()) }, closed)),
    delta: orNull(Delta),
    delta_ref: orNull(BlobRef),
    contents: Type.Array(Type.String({ description: 'base64' }), {
      maxItems: LIMITS.contentsInline.max,
      description: 'short contents that the delta names and nobody has stored yet',
    }),
    result: Type.Unknown(),
    result_ref: orNull(BlobRef),
    result_hash: Sha256Hex,
    requests: Type.Array(EgressRequest, {
      maxItems: LIMITS.egressRequests.max,
      description: 'every request that asked to leave, in order; empty where they come by reference',
    }),
    requests_ref: Type.Optional(orNull(BlobRef)),
    usage: Usage,
    store_change: Type.Optional(
      Type.Object(
        { change_id: Type.String({ pattern: '^[0-9a-f]{32}$' }) },
        {
          ...closed,
          description:
            'the change of an information store that the attempt staged. The kernel knows from the arguments what it must be, and publishes it with the outcome; absent for other calls',
        },
      ),
    ),
    output_refs: Type.Optional({
      ...OutputRefs,
      description: 'the full output, stored before; absent if the result shows all of it, and from an older peer',
    }),
    asked_for: Type.Optional(
      Type.Array(UnmetNeed, {
        maxItems: 64,
        description: 'by a preview; one that asked for anything is no approval of an effect',
      }),
    ),
  },
  closed,
);
export type ReportRequest = Static<typeof ReportRequest>;

/** The executor is done with the attempt, whatever the reply. */
export const ReportReply = Type.Object(
  { v: Type.Literal(1), state: Type.String(), tx_outcome: orNull(Type.String()) },
  closed,
);
export type ReportReply = Static<typeof ReportReply>;

/** An executor's addition to its slots if it accepts directly dispatched calls. */
const Assignable = Type.Object(
  { public_key: PublicKey, mark: Mark, knows: Type.Optional({ ...Known, description: 'as in RedeemRequest' }) },
  closed,
);

/**
 * executor → kernel, event `slots`: how many more calls it could accept now, by lane. The kernel discards slots after
 * three seconds.
 */
export const SlotsEvent = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    inline: Type.Integer({ minimum: 0 }),
    sandboxed: Type.Integer({ minimum: 0 }),
    broker: Type.Optional(Type.Integer({ minimum: 0, description: 'absent where an older peer speaks: none' })),
    assignable: Type.Optional({
      ...Assignable,
      description: 'absent where it takes permits off the lanes alone, as older peers do',
    }),
  },
  closed,
);
export type SlotsEvent = Static<typeof SlotsEvent>;

/**
 * kernel → executor, event `assigned`, with the executor's id in place of the tenant: a call that was admitted for it
 * alone, with its permit redeemed under `nonce`. `mark` is that of the slots that the kernel used; the lease counts
 * from there. There is no reply; an executor that can't run the call returns it by `kernel.release`.
 */
export const AssignedEvent = Type.Object(
  { v: Type.Literal(1), permit: Envelope, nonce: Nonce, mark: Mark, redemption: Redemption },
  closed,
);
export type AssignedEvent = Static<typeof AssignedEvent>;
