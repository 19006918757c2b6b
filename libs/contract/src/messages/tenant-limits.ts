// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/**
 * The defaults of a tenant; for requests, the configuration of each orchestrator (`WRIT_RATE_PER_SECOND`,
 * `WRIT_RATE_BURST`).
 */
export const TENANT_DEFAULTS = { weight: 1, running_max: 64, waiting_max: 1_000 } as const;

const fields = {
  requests_per_second: orNull(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'at each replica of the orchestrator; null: as the orchestrator is configured',
    }),
  ),
  request_burst: orNull(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'requests at once, at each replica of the orchestrator; null: as the orchestrator is configured',
    }),
  ),
  // Absent from a kernel that is older than these two.
  person_requests_per_second: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'of each person, and of each key without one, at each replica of the orchestrator; null: no bound',
      }),
    ),
  ),
  person_request_burst: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'requests at once of each person; null: as many as `person_requests_per_second`',
      }),
    ),
  ),
  weight: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'its share of the capacity while several tenants are active; 1 is the default',
  }),
  running_max: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'calls that are with executors at once, over all replicas',
  }),
  waiting_max: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'calls that wait for an executor, over all replicas; one more is `queue.full`',
  }),
};

const count = (description: string) =>
  orNull(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));
const quota = {
  files_max: count(
    'files, links and directories; a change that leads past it is `workspace.quota`; null: without bound',
  ),
  bytes_max: count('bytes of their contents; null: without bound'),
};
const outputs = {
  outputs_bytes_max: count(
    'bytes of whole outputs that are kept at once; an output that leads past it is not kept, and its call ends as it would; null: without bound',
  ),
};
const held = {
  files: orNull(
    Type.Integer({
      minimum: 0,
      description:
        'what is there now, by the newest states; null: not counted yet, and asking for the limits counts it',
    }),
  ),
  bytes: orNull(Type.Integer({ minimum: 0, description: 'the same, in bytes' })),
};

/** The limits of one tenant. */
export const TenantLimits = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    ...fields,
    changed_at: orNull(
      Type.Integer({
        minimum: 0,
        description: 'milliseconds since the epoch; null: never, so they are what every tenant has',
      }),
    ),
  },
  closed,
);
export type TenantLimits = Static<typeof TenantLimits>;

/** The limits of one tenant, with the common quota of all its workspaces and its use. */
export const TenantLimitsView = Type.Object(
  {
    ...TenantLimits.properties,
    ...quota,
    ...outputs,
    ...held,
    outputs_bytes: Type.Integer({ minimum: 0, description: 'of whole outputs that are kept now' }),
  },
  closed,
);
export type TenantLimitsView = Static<typeof TenantLimitsView>;

/** The quota of one workspace, and its use. */
export const WorkspaceLimits = Type.Object({ workspace_id: idSchema('workspace'), ...quota, ...held }, closed);
export type WorkspaceLimits = Static<typeof WorkspaceLimits>;
export const WorkspaceLimitsChange = Type.Partial(Type.Object(quota), { ...closed, minProperties: 1 });
export type WorkspaceLimitsChange = Static<typeof WorkspaceLimitsChange>;

/** Changes of a tenant's limits; the others stay. */
export const TenantLimitsChange = Type.Partial(Type.Object({ ...fields, ...quota, ...outputs }), {
  ...closed,
  minProperties: 1,
});
export type TenantLimitsChange = Static<typeof TenantLimitsChange>;

/** Only for the platform key, which belongs to no tenant. */
const asked = {
  v: Type.Literal(1),
  caller: Type.Null(),
  tenant_id: Type.String({ minLength: 1, maxLength: 64 }),
} as const;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const TENANT_REQUESTS = {
  /** → TenantLimitsView */
  'tenant.limits.read': Type.Object({ ...asked }, closed),
  /** → TenantLimitsView after the change */
  'tenant.limits.set': Type.Object({ ...asked, change: TenantLimitsChange }, closed),
} as const;

/**
 * orchestrator → kernel: `kernel.tenant.limits.changed` → LimitsChanged: those that were set at `since` or later, and
 * of tenants that were closed then, in the order of tenants after `after`, a page at a time. Of all tenants, since the
 * API itself requests it.
 */
export const LimitsSince = Type.Object(
  { v: Type.Literal(1), since: Type.Integer({ minimum: 0 }), after: Type.String({ maxLength: 64 }) },
  closed,
);
export type LimitsSince = Static<typeof LimitsSince>;
/** The limits of a tenant, and whether it is closed. A kernel that closes no tenants leaves `closed` out. */
export const ChangedTenant = Type.Object({ ...TenantLimits.properties, closed: Type.Optional(Type.Boolean()) }, closed);
export type ChangedTenant = Static<typeof ChangedTenant>;
/** `more`: there may be another page. `now` is the database's clock in milliseconds. */
export const LimitsChanged = Type.Object(
  { now: Type.Integer(), items: Type.Array(ChangedTenant), more: Type.Boolean() },
  closed,
);
export type LimitsChanged = Static<typeof LimitsChanged>;
