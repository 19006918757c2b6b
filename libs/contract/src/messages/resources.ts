// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { RESOURCE_KINDS, ResourceGrant, ResourceName, type ResourceKind } from '../resources/resource-kinds.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Instant = Type.Integer({ minimum: 0 });
const Key = Type.String({ minLength: 1, maxLength: 64 });
const Version = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const Settings = Type.Record(Type.String(), Type.Unknown());
const Kind = Type.Enum(RESOURCE_KINDS);

/** The kinds that administrators register: those that no other part of Writ stores. */
export const REGISTERED_KINDS = [
  'audio_device',
  'calendar',
  'container',
  'info_store',
  'mailbox',
  'mcp_server',
  'model',
  'search_engine',
  'website',
] as const satisfies readonly ResourceKind[];
export type RegisteredKind = (typeof REGISTERED_KINDS)[number];

/** A resource. An agent's key sees none of what only administrators need: those members are null for it. */
export const ResourceView = Type.Object(
  {
    resource_id: idSchema('resource'),
    kind: Kind,
    name: Type.String({ description: 'unique within its kind; for an agent its id' }),
    owner_agent_id: orNull(Type.String({ description: 'the agent that made it; null: nobody owns it' })),
    settings: orNull({ ...Settings, description: "by kind; null for an agent's key" }),
    digest: orNull({ ...Sha256Hex, description: "of kind, name and settings; null for an agent's key" }),
    version: Type.Integer({ minimum: 1, description: 'counts changes of the settings' }),
    created_by: orNull(Type.String({ description: "the API key or the agent; null for an agent's key" })),
    created_at: Instant,
    updated_at: Instant,
  },
  closed,
);
export type ResourceView = Static<typeof ResourceView>;

/** What an agent may do with a resource or with all of a kind. */
export const ResourceGrantView = Type.Object(
  {
    resource_grant_id: idSchema('resourceGrant'),
    ...ResourceGrant.properties,
    name: orNull(Type.String({ description: 'of the resource; null for a grant of the whole kind' })),
    created_by: Type.String({ description: 'the API key that set it last; `kernel` for those of a new tenant' }),
    created_at: Instant,
  },
  closed,
);
export type ResourceGrantView = Static<typeof ResourceGrantView>;

/** orchestrator → kernel, of a tenant's resources and their grants. */
export const RESOURCE_REQUESTS = {
  /** → ResourceView; `resource.exists` for a name that is taken within the kind */
  'resource.create': Type.Object(
    { ...asked, kind: Type.Enum(REGISTERED_KINDS), name: ResourceName, settings: Settings },
    closed,
  ),
  /** → ResourceView */
  'resource.read': Type.Object({ ...asked, resource_id: Key }, closed),
  /**
   * → {items: ResourceView[], next_cursor}; newest first. `agent_id`: those that the agent may use. For an agent's key
   * they are always its own.
   */
  'resource.list': Type.Object(
    { ...asked, page: Page, kind: orNull(Kind), name: orNull(Type.String({ maxLength: 64 })), agent_id: orNull(Key) },
    closed,
  ),
  /** → ResourceView; a compare-and-swap: another version than the expected one is a `conflict` */
  'resource.update': Type.Object(
    { ...asked, ...conditional, resource_id: Key, settings: Settings, expected_version: Version },
    closed,
  ),
  /** → ResourceView of the removed one; its grants go with it */
  'resource.remove': Type.Object({ ...asked, ...conditional, resource_id: Key }, closed),
  /** → ResourceGrantView; a grant with the same kind, resource, right and agent gets the clearance */
  'resource_grant.set': Type.Object({ ...asked, ...conditional, grant: ResourceGrant }, closed),
  /** → ResourceGrantView */
  'resource_grant.read': Type.Object({ ...asked, resource_grant_id: Key }, closed),
  /** → ResourceGrantView of the removed one */
  'resource_grant.remove': Type.Object({ ...asked, ...conditional, resource_grant_id: Key }, closed),
  /**
   * → {items: ResourceGrantView[], next_cursor}; newest first. `agent_id`: those that count for the agent, with those
   * for every agent
   */
  'resource_grant.list': Type.Object(
    { ...asked, page: Page, kind: orNull(Kind), resource_id: orNull(Key), agent_id: orNull(Key) },
    closed,
  ),
} as const;
