// SPDX-License-Identifier: Apache-2.0
//
// Registered resources: what agents are granted one by one. A resource has an id, a kind, a name that is unique within
// its kind, an owner, and settings, which only administrators and the kernel change.
import { Type, type Static } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';

const closed = { additionalProperties: false } as const;

/**
 * The kinds of resources. The row of a skill, a sandbox, a profile, an agent or a task refers to what is stored
 * elsewhere under the same name; the settings of the other kinds are the resource itself.
 */
export const RESOURCE_KINDS = [
  'agent',
  'audio_device',
  'calendar',
  'container',
  'info_store',
  'mailbox',
  'mcp_server',
  'model',
  'profile',
  'sandbox',
  'search_engine',
  'skill',
  'task',
  'website',
] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/**
 * Kinds that a token must list in `resources`, beside the grant that an agent has. The other kinds are bounded by other
 * parts of a token: its tools, hosts and profiles.
 */
export const TOKEN_LISTED_KINDS = [
  'audio_device',
  'calendar',
  'container',
  'info_store',
  'mailbox',
  'model',
] as const satisfies readonly ResourceKind[];

/** Answers whether a token must list resources of the kind. */
export const isTokenListed = (kind: ResourceKind): boolean => TOKEN_LISTED_KINDS.some((listed) => listed === kind);

/** The characters of a resource's name: those of skills, sandboxes and profiles. */
const NAME = '[A-Za-z0-9][A-Za-z0-9_.-]{0,63}';

export const ResourceName = Type.String({
  pattern: `^${NAME}$`,
  description: 'unique within its kind: up to 64 letters, digits, `_`, `-` and `.`',
});

/** A token's entry for one resource (`info_store:handbook`) or for all of a kind (`info_store:*`). */
export const ResourcePattern = Type.String({
  pattern: `^(${TOKEN_LISTED_KINDS.join('|')}):(\\*|${NAME})$`,
  maxLength: 128,
  description: 'a resource by kind and name (`info_store:handbook`), or all of a kind (`info_store:*`)',
});

/**
 * The least supervision under which an agent may use a resource. Policy may require more.
 * `autopilot`: policy alone decides; `soft_gate`: a person approves each call; `escalated`: administrators do.
 */
export const CLEARANCES = ['autopilot', 'soft_gate', 'escalated'] as const;
export type Clearance = (typeof CLEARANCES)[number];

/** Which permission a grant gives: to use a resource, or to make resources of a kind. */
export const RESOURCE_RIGHTS = ['use', 'create'] as const;
export type ResourceRight = (typeof RESOURCE_RIGHTS)[number];

/** What a grant gives, and to whom. */
export const ResourceGrant = Type.Object(
  {
    kind: Type.Enum(RESOURCE_KINDS),
    resource_id: Type.Union([idSchema('resource'), Type.Null()], {
      description: 'null: every resource of the kind; the only value for `create`',
    }),
    right: Type.Enum(RESOURCE_RIGHTS),
    agent_id: Type.Union([idSchema('agent'), Type.Null()], { description: 'null: every agent of the tenant' }),
    clearance: Type.Enum(CLEARANCES),
  },
  closed,
);
export type ResourceGrant = Static<typeof ResourceGrant>;

/** The grants of a new tenant: what its agents could do before anybody granted anything. */
export const DEFAULT_RESOURCE_GRANTS: readonly ResourceGrant[] = [
  { kind: 'agent', right: 'create' },
  { kind: 'task', right: 'create' },
  { kind: 'profile', right: 'use' },
  { kind: 'sandbox', right: 'use' },
  { kind: 'search_engine', right: 'use' },
  { kind: 'skill', right: 'use' },
  { kind: 'website', right: 'use' },
].map(({ kind, right }) => ({
  kind: kind as ResourceKind,
  right: right as ResourceRight,
  resource_id: null,
  agent_id: null,
  clearance: 'autopilot' as const,
}));

/**
 * A resource as a call is decided on it and runs with it. `digest` covers kind, name and settings, and is part of the
 * digest of the call's tool: with other settings it is another action.
 */
export const BoundResource = Type.Object(
  {
    resource_id: idSchema('resource'),
    kind: Type.Enum(RESOURCE_KINDS),
    name: ResourceName,
    owner_agent_id: Type.Union([idSchema('agent'), Type.Null()]),
    settings: Type.Record(Type.String(), Type.Unknown()),
    digest: Sha256Hex,
  },
  closed,
);
export type BoundResource = Static<typeof BoundResource>;

/** The id of a resource that a call makes: that of its operation, under the other prefix. */
export const madeResourceId = (operationId: string): string => operationId.replace(/^op_/, 'res_');

/** A resource that the arguments of a call name, as they name it: by id or by name. */
export interface ResourceReference {
  readonly kind: ResourceKind;
  readonly ref: string;
  readonly right: ResourceRight;
  /** where the arguments name it, or would (RFC 6901) */
  readonly pointer: string;
  /** the arguments don't name it: the tool means the one of this name */
  readonly implied?: true;
  /** the tool means every resource of the kind; then `ref` is empty */
  readonly every?: true;
}

/**
 * The reference to every resource of a kind. INVARIANT (never by text): a tool makes it of its own accord, and no text
 * of a caller is one.
 */
export const everyResource = (kind: ResourceKind, pointer: string): ResourceReference => ({
  kind,
  ref: '',
  right: 'use',
  pointer,
  every: true,
});

/** The reference to a resource that is made without a name. A token that lists the whole kind covers it. */
export const UNNAMED_RESOURCE = '*';

/** Limit on the resources that one call names. */
export const CALL_RESOURCES_MAX = 8;
