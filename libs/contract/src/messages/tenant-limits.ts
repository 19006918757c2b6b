// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** What a tenant has unless the platform says otherwise; of requests, what each door is set up with (`WRIT_RATE_PER_SECOND`, `WRIT_RATE_BURST`). */
export const TENANT_DEFAULTS = { weight: 1, running_max: 64, waiting_max: 1_000 } as const;

const fields = {
  requests_per_second: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'at each replica of the door; null: as the door is set up' })),
  request_burst: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'requests at once, at each replica of the door; null: as the door is set up' })),
  weight: Type.Integer({ minimum: 1, maximum: 1_000, description: 'its part of what tenants share while several are about; 1 is the usual one' }),
  running_max: Type.Integer({ minimum: 1, maximum: 100_000, description: 'calls that are with executors at once, over all replicas' }),
  waiting_max: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'calls that wait for an executor, over all replicas; one more is `queue.full`' }),
};

/** The limits of one tenant. */
export const TenantLimits = Type.Object({
  tenant_id: idSchema('tenant'),
  ...fields,
  changed_at: orNull(Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; null: never, so they are what every tenant has' })),
}, closed);
export type TenantLimits = Static<typeof TenantLimits>;

/** What is to change of them; the rest stays. */
export const TenantLimitsChange = Type.Partial(Type.Object(fields), { ...closed, minProperties: 1 });
export type TenantLimitsChange = Static<typeof TenantLimitsChange>;

/** Only the platform key asks, which is no tenant's. */
const asked = { v: Type.Literal(1), caller: Type.Null(), tenant_id: Type.String({ minLength: 1, maxLength: 64 }) } as const;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const TENANT_REQUESTS = {
  /** → TenantLimits */
  'tenant.limits.read': Type.Object({ ...asked }, closed),
  /** → TenantLimits as they are then */
  'tenant.limits.set': Type.Object({ ...asked, change: TenantLimitsChange }, closed),
} as const;

/** orchestrator → kernel: `kernel.tenant.limits.changed` → LimitsChanged: those that were set at `since` or later, by tenant after `after`, a page at a time. Of all tenants: it is the door that asks. */
export const LimitsSince = Type.Object({ v: Type.Literal(1), since: Type.Integer({ minimum: 0 }), after: Type.String({ maxLength: 64 }) }, closed);
export type LimitsSince = Static<typeof LimitsSince>;
/** `more`: there may be another page. `now` is the database's clock in milliseconds. */
export const LimitsChanged = Type.Object({ now: Type.Integer(), items: Type.Array(TenantLimits), more: Type.Boolean() }, closed);
export type LimitsChanged = Static<typeof LimitsChanged>;
