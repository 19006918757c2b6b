// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { PERMITTED_EFFECTS } from './effect-rules.ts';
import { idSchema, Sha256Hex } from './ids.ts';
import { ResourcePattern } from './resources/resource-kinds.ts';
import { ProfileName } from './tools/shell-dangerous.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** An exact tool id (`fs.read`), a family (`fs.*`) or everything (`*`); no other glob. */
export const ToolPattern = Type.String({ pattern: '^(\\*|[a-z0-9_]+(\\.[a-z0-9_]+)*(\\.\\*)?)$', maxLength: 128 });

/**
 * A directory or file of the workspace with everything below it; `''` is the whole workspace. `write` doesn't imply
 * `read`. One that is `denied` removes what the others grant there, in any order, and its own `read` and `write` are
 * ignored.
 */
export const FsRoot = Type.Object(
  {
    path: Type.String({ maxLength: 4096 }),
    read: Type.Boolean(),
    write: Type.Boolean(),
    denied: Type.Optional(
      Type.Literal(true, { description: 'nothing at or below it is reached, whatever other roots grant' }),
    ),
  },
  { additionalProperties: false },
);
export type FsRoot = Static<typeof FsRoot>;

/** The method of a tunnel in a grant. The requests in a tunnel are not visible, so no other method includes it. */
export const TUNNEL = 'CONNECT';

/**
 * Methods of a connection that isn't HTTP, which a tool of Writ opens: `TLS` where the gate checks the server's
 * certificate, `TCP` where it starts no TLS.
 */
export const RAW_METHODS = ['TCP', 'TLS'] as const;
export type RawMethod = (typeof RAW_METHODS)[number];

/** The greatest number of a TCP port (RFC 9293 §3.1). */
export const PORT_MAX = 65_535;

/**
 * A root of a scope that isn't a token's own: the tenant's settings deny names anywhere. Tokens have no such roots, so
 * their format has no such member.
 */
export const ScopeRoot = Type.Object(
  {
    ...FsRoot.properties,
    anywhere: Type.Optional(
      Type.Literal(true, { description: 'of one that is denied: the path is denied below every directory' }),
    ),
  },
  { additionalProperties: false },
);
export type ScopeRoot = Static<typeof ScopeRoot>;

export const NetGrant = Type.Object(
  {
    domain: Type.String({ pattern: '^(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)*$', maxLength: 253 }),
    methods: Type.Array(
      Type.String({
        pattern: '^[A-Z]{3,10}$',
        description: 'of HTTP; `CONNECT` for a tunnel; `TCP` or `TLS` for a connection that a tool opens',
      }),
      { maxItems: 16 },
    ),
    ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: PORT_MAX }), {
        minItems: 1,
        maxItems: 32,
        uniqueItems: true,
        description:
          'the only ports; absent: 80 for http, 443 for https and `CONNECT`, and none for `TCP` and `TLS`, which need them named',
      }),
    ),
  },
  { additionalProperties: false },
);
export type NetGrant = Static<typeof NetGrant>;

/** The dimensions that a token may limit; an absent one is unlimited. */
export const BUDGET_DIMENSIONS = [
  'calls',
  'cpu_ms',
  'wall_ms',
  'disk_write_bytes',
  'egress_bytes',
  'llm_tokens',
] as const;
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number];
export const Budgets = Type.Partial(
  Type.Object({
    calls: Count,
    cpu_ms: Count,
    wall_ms: Count,
    disk_write_bytes: Count,
    egress_bytes: Count,
    llm_tokens: Count,
  }),
  { additionalProperties: false },
);
export type Budgets = Static<typeof Budgets>;

const Instant = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'milliseconds since the epoch, UTC',
});

/** The grant of a token: the part that a child may only narrow. */
export const Grant = Type.Object(
  {
    tools: Type.Array(ToolPattern, { maxItems: 256 }),
    fs: Type.Array(FsRoot, { maxItems: 256 }),
    net: Type.Array(NetGrant, { maxItems: 256 }),
    secrets: Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$' }), { maxItems: 256 }),
    profiles: Type.Optional(
      Type.Array(ProfileName, {
        maxItems: 256,
        description: 'execution profiles that raw commands may run under; absent: none',
      }),
    ),
    resources: Type.Optional(
      Type.Array(ResourcePattern, {
        maxItems: 256,
        description: 'registered resources of the kinds that a token must list; absent: none',
      }),
    ),
    effects: Type.Optional(
      Type.Array(Type.Enum(PERMITTED_EFFECTS), {
        maxItems: PERMITTED_EFFECTS.length,
        uniqueItems: true,
        description: 'rules on effects whose findings need no person under this token; absent: none',
      }),
    ),
    budgets: Budgets,
    not_before: Instant,
    expires_at: Instant,
  },
  { additionalProperties: false },
);
export type Grant = Static<typeof Grant>;

/** The number of calls that a session grant allows, and the greatest duration; policy sets its default duration. */
export const SESSION_APPROVAL = { uses: { default: 32, max: 1_000 }, ttlMs: { max: 86_400_000 } } as const;

/**
 * Marks the token of a session grant: calls of that session that are like the approved one count as approved under it.
 * Children don't inherit it: a child of such a token is bound to the session and approves nothing.
 */
export const SessionApproval = Type.Object(
  {
    approval_id: idSchema('approval'),
    /** the approved call, with whose arguments `same` compares */
    operation_id: idSchema('operation'),
    session_id: Type.String({ maxLength: 128, description: 'the only session it serves' }),
    policy_hash: Sha256Hex,
    args: Type.Enum(['any', 'same'], {
      description:
        "any: the token's roots are the paths that were approved; same: of a command, whose paths can't be known",
    }),
    risk_max: Type.Number({ minimum: 0, maximum: 1 }),
    risk_basis: Type.Array(Type.String({ maxLength: 128 }), {
      maxItems: 64,
      description: 'a call that is risky for another reason is another call',
    }),
    reasons: Type.Array(Type.String({ maxLength: 128 }), {
      maxItems: 128,
      description: 'codes of all that a person was shown: a call that is held for another reason is another call',
    }),
  },
  { additionalProperties: false },
);
export type SessionApproval = Static<typeof SessionApproval>;

/**
 * For a token that a job's runs act under: the tools that an administrator listed for it. The listing is the recorded
 * approval of their use in a scheduled session. A child of such a token belongs to the job too: it lists no more, and
 * acts in no other way.
 */
export const JobListing = Type.Object(
  {
    job_id: idSchema('job'),
    tools: Type.Array(Type.String({ pattern: '^[a-z0-9_]+(\\.[a-z0-9_]+)*$', maxLength: 128 }), {
      maxItems: 64,
      uniqueItems: true,
      description: 'tools by their whole names: a family would list what nobody has seen',
    }),
  },
  { additionalProperties: false },
);
export type JobListing = Static<typeof JobListing>;

/**
 * An immutable grant, referenced by id. Only `revoked_at` and the use of its budgets change, and they are stored
 * separately.
 */
export const CapabilityToken = Type.Object(
  {
    v: Type.Literal(1),
    capability_token_id: idSchema('token'),
    tenant_id: idSchema('tenant'),
    agent_id: idSchema('agent'),
    parent_id: Type.Union([idSchema('token'), Type.Null()]),
    workspace_id: Type.Union([idSchema('workspace'), Type.Null()], {
      description: 'the only workspace it reaches; null: any of the tenant',
    }),
    grant: Grant,
    issuer: Type.String({ maxLength: 128, description: 'the API key that issued it' }),
    created_at: Instant,
    revoked_at: Type.Union([Instant, Type.Null()]),
    session_approval: Type.Optional(SessionApproval),
    spawned_by: Type.Optional({
      ...idSchema('operation'),
      description: 'the committed call of `agent.spawn` that the kernel made it for',
    }),
    job: Type.Optional(JobListing),
  },
  { additionalProperties: false },
);
export type CapabilityToken = Static<typeof CapabilityToken>;
