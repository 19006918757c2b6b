// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { FreezeReason, FreezeScope } from '../freeze-scope.ts';
import { formatId, idSchema, type TenantId } from '../ids.ts';
import { Caller, Page } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Key = Type.String({ minLength: 1, maxLength: 64 });

/**
 * The id of the log for changes of the deployment as a whole. No tenant can have it, because their ids contain a time.
 */
export const DEPLOYMENT_LOG: TenantId = formatId('tenant', new Uint8Array(16));

/** A freeze, as seen outside of the kernel. */
export const FreezeView = Type.Object(
  {
    freeze_id: idSchema('freeze'),
    scope: FreezeScope,
    id: orNull(Type.String({ description: 'the tenant, agent or tool; null for `all`' })),
    state: Type.Enum(['standing', 'expired', 'lifted']),
    reason: Type.String(),
    placed_by: Type.String({ description: 'an API key, an agent, or `platform`' }),
    created_at: Instant,
    expires_at: orNull(Instant),
    lifted_at: orNull(Instant),
    lifted_by: orNull(Type.String()),
  },
  closed,
);
export type FreezeView = Static<typeof FreezeView>;

/** Null for the platform key, which belongs to no tenant. */
const asked = { v: Type.Literal(1), caller: orNull(Caller) } as const;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const FREEZE_REQUESTS = {
  /**
   * → FreezeView; if one with the same target is active, that one, with the later end of both. `id`: the tenant's own
   * or null, an agent, a tool; null for `all`
   */
  'freeze.place': Type.Object(
    {
      ...asked,
      scope: FreezeScope,
      id: orNull(Type.String({ minLength: 1, maxLength: 128 })),
      reason: FreezeReason,
      expires_at: orNull(Instant),
    },
    closed,
  ),
  /** → FreezeView; one that has ended already stays unchanged */
  'freeze.lift': Type.Object({ ...asked, freeze_id: Key }, closed),
  /** → FreezeView */
  'freeze.read': Type.Object({ ...asked, freeze_id: Key }, closed),
  /**
   * → {items: FreezeView[], next_cursor}; newest first: the tenant's own and the deployment's. `standing`: only active
   * ones
   */
  'freeze.list': Type.Object({ ...asked, page: Page, standing: Type.Boolean() }, closed),
} as const;
