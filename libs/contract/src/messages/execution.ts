// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { BlobRef, Delta } from '../delta.ts';
import { idSchema, Sha256Hex, SnapshotId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { Envelope, PermitMode } from '../permit.ts';
import { UsageCounter } from '../states.ts';
import { FsRoot, NetGrant } from '../token.ts';
import { CliTool } from '../tools/cli-tool.ts';
import { SearchTool } from '../tools/search.ts';
import { SkillAtHand } from '../tools/skills.ts';
import { SessionTasks } from '../tools/tasks.ts';
import { ContentKey, ContentOpens } from './contents.ts';
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
  description: "an executor's own word for when it spoke, which only it reads",
});

/**
 * Names the attempt that speaks. Another executor, attempt, mode or nonce is fenced. `mode` is absent where an older
 * peer speaks, and means `run`.
 */
const AttemptCredentials = {
  tenant_id: idSchema('tenant'),
  operation_id: idSchema('operation'),
  attempt: Type.Integer({ minimum: 1 }),
  mode: Type.Optional(PermitMode),
  executor_id: idSchema('executor'),
  nonce: Nonce,
};

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

/** The kernel's answer: everything the call needs, and what must hash to the permit's action digest. */
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
    /**
     * opens the arguments by reference; absent where there are none, and where those are of a time when none were
     * sealed
     */
    args_key: Type.Optional(ContentKey),
    /**
     * what the attempt's long result, long list of requests and full output are sealed under; absent where an older
     * peer speaks: then they are stored as they are
     */
    content_key: Type.Optional(ContentKey),
    args_salt: Type.String({ description: 'base64, 32 bytes' }),
    capability_token_id: Type.String(),
    policy_hash: Sha256Hex,
    workspace_id: idSchema('workspace'),
    state_snapshot_id: SnapshotId,
    image_digest: orNull(Type.String()),
    fs: Type.Array(Type.Array(FsRoot), {
      description: 'the roots of each token of the chain: a path is reachable when every one reaches it',
    }),
    net: Type.Optional(
      Type.Array(Type.Array(NetGrant), {
        description:
          'the hosts of each token of the chain: a request may leave when every one grants it; absent: none may',
      }),
    ),
    /** values that are no secrets, in clear */
    secrets: Type.Record(Type.String(), Type.String()),
    /** secrets that the arguments name, sealed to the key of the request, base64 */
    sealed: Type.Optional(Type.Record(Type.String(), Type.String())),
    cli_tool: Type.Optional(CliTool),
    search_tool: Type.Optional(SearchTool),
    /**
     * of a script in a registered sandbox: what was signed, base64. Its digest is part of the tool's, so another is not
     * believed
     */
    sandbox: Type.Optional(
      Type.Object({ definition: Type.String(), statement: Type.String(), keyid: Type.String() }, closed),
    ),
    /**
     * of a raw command: the execution profile that it was decided under, base64 of its RFC 8785 bytes. Its digest is
     * part of the tool's, so another is not believed
     */
    profile: Type.Optional(Type.String()),
    /** of `skill.read`: the skill that it names */
    skill: Type.Optional(SkillAtHand),
    /** of a tool that works on them: the tasks of the call's session, as they are when it is redeemed */
    tasks: Type.Optional(SessionTasks),
    limits: CallLimits,
    /**
     * base64 of tree nodes that the call reads first: what the kernel has at hand; each counts under the hash that it
     * has, not one that is named
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
/** `stop` tells the executor to kill the call: it was cancelled or its token revoked. */
export const RenewReply = Type.Object({ v: Type.Literal(1), lease_until: Instant, stop: Type.Boolean() }, closed);
export type RenewReply = Static<typeof RenewReply>;

/**
 * executor → kernel: `kernel.effect_started`, before each external request that isn't safe (RFC 9110 §9.2.1) leaves,
 * with its line.
 */
export const EffectStartedRequest = RenewRequest;

/**
 * executor → kernel: `kernel.release`: the attempt was stopped here, nothing of it runs any more, and its lease needn't
 * be waited out. `stopping`: since the executor itself stops, which is not held against the call; otherwise it ends, or
 * is tried again, as if its lease had run out now.
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
      'failed: the tool itself says no (`error` says why); invalid: what came out of the sandbox is no effect',
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
     * who counted `cpu_ms` and `memory_peak_bytes`; absent where nothing was counted in a sandbox, and where an older
     * peer speaks
     */
    counted_by: Type.Optional(UsageCounter),
  },
  closed,
);
export type Usage = Static<typeof Usage>;

/** What a preview found that it would have needed and didn't get: a host to reach, or a secret by its name. */
export const AskedFor = Type.Object(
  { kind: Type.Union([Type.Literal('egress'), Type.Literal('secret')]), what: Type.String({ maxLength: 512 }) },
  closed,
);
export type AskedFor = Static<typeof AskedFor>;

/**
 * One stream of a command's output, redacted, from its beginning. As of every sealed content, the hash is that of what
 * is stored, and the size that of what it says.
 */
export const OutputRef = Type.Object(
  {
    ...BlobRef.properties,
    size: Type.Integer({ minimum: 0, maximum: LIMITS.keptOutputBytes.max }),
    content_sha256: Type.Optional({
      ...Sha256Hex,
      description: "of what it says, by the executor's word; absent where it isn't sealed: then `sha256` is",
    }),
    cut: Type.Boolean({
      description: 'the command said more, on this stream or the other, than is heard of one command',
    }),
  },
  closed,
);
export type OutputRef = Static<typeof OutputRef>;
export const OutputRefs = Type.Object({ stdout: OutputRef, stderr: OutputRef }, closed);
export type OutputRefs = Static<typeof OutputRefs>;

/**
 * kernel → orchestrator: where one stream of a full output is, until when, and what opens it; `opens` is absent for one
 * of a time when none was sealed.
 */
export const KeptOutput = Type.Object(
  { v: Type.Literal(1), ref: OutputRef, expires_at: Instant, opens: Type.Optional(ContentOpens) },
  closed,
);
export type KeptOutput = Static<typeof KeptOutput>;

/**
 * executor → kernel: `kernel.report`. The effect is staged: its contents are stored or come along, nothing of the
 * workspace has changed. What `result_ref`, `requests_ref` and `output_refs` name is sealed under the redemption's
 * `content_key`: their hashes are of what is stored, their sizes of what it says, and `result_hash` is of what the
 * result says.
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
    output_refs: Type.Optional({
      ...OutputRefs,
      description:
        'the whole output, stored before; absent where the result shows all of it, and where an older peer speaks',
    }),
    asked_for: Type.Optional(
      Type.Array(AskedFor, {
        maxItems: 64,
        description: 'by a preview; one that asked for anything is no approval of an effect',
      }),
    ),
  },
  closed,
);
export type ReportRequest = Static<typeof ReportRequest>;

/** The executor is done with the attempt whatever this says. */
export const ReportReply = Type.Object(
  { v: Type.Literal(1), state: Type.String(), tx_outcome: orNull(Type.String()) },
  closed,
);
export type ReportReply = Static<typeof ReportReply>;

/** What an executor adds to its slots where it takes calls that are assigned to it. */
const Assignable = Type.Object({ public_key: PublicKey, mark: Mark }, closed);

/**
 * executor → kernel, event `slots`: how many more calls it would take now, by lane. The kernel forgets what is three
 * seconds old.
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
 * kernel → executor, event `assigned`, the executor's id in the tenant's place: a call that was admitted for it alone,
 * with its permit redeemed under `nonce`. `mark` is the one of the slots that the kernel went by: the lease counts from
 * there. Nobody waits for an answer; who can't take the call gives it back by `kernel.release`.
 */
export const AssignedEvent = Type.Object(
  { v: Type.Literal(1), permit: Envelope, nonce: Nonce, mark: Mark, redemption: Redemption },
  closed,
);
export type AssignedEvent = Static<typeof AssignedEvent>;
