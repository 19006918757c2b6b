// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Key = Type.String({ minLength: 1, maxLength: 64 });

/** Why a tenant is closed, in the words of whoever closes it. */
export const CloseReason = Type.String({ minLength: 1, maxLength: 500 });

/** A tenant, as the platform key sees it. */
export const TenantView = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    name: Type.String(),
    state: Type.Enum(['open', 'closed']),
    created_at: Instant,
    closed_at: orNull(Instant),
    closed_by: orNull(Type.String({ description: '`platform`: the platform key' })),
    close_reason: orNull(Type.String()),
  },
  closed,
);
export type TenantView = Static<typeof TenantView>;

/** Only for the platform key, which belongs to no tenant. */
const asked = { v: Type.Literal(1), caller: Type.Null() } as const;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const TENANT_LIFE_REQUESTS = {
  /** → {items: TenantView[], next_cursor}; newest first. `open`: only those that are not closed */
  'tenant.list': Type.Object({ ...asked, page: Page, open: Type.Boolean() }, closed),
  /** → TenantView */
  'tenant.read': Type.Object({ ...asked, tenant_id: Key }, closed),
  /** → TenantView after the end; one that was closed before stays as it is */
  'tenant.close': Type.Object({ ...asked, tenant_id: Key, reason: CloseReason }, closed),
} as const;
