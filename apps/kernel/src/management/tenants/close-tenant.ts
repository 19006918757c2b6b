// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type TenantView } from '@writ/contract';
import { contentDigest, endConnectionsOfTenant, type Changes } from '../../evidence/changes/index.ts';
import type { Events } from '../../execution/announcements/events.ts';
import { stopFrozen } from '../../execution/freezes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { callIn, requireId } from '../../foundation/tenancy/index.ts';
import { newId } from '@writ/nest-kit';
import type { EndCalls } from '../api-keys/index.ts';
import { tenantView } from './tenant-view.ts';

/** The actor of a tenant's end: the platform key, which belongs to no tenant. */
const ACTOR = 'platform';
/** Calls that are ended before the answer. The others are marked, so they can't commit, and the sweep ends them. */
const ENDED_MAX = 1_000;

/**
 * Closes tenants for ever. INVARIANT (closed means closed): once this has resolved, no call of the tenant is admitted,
 * approved or committed, by any version of the kernel. The database guarantees this, under the lock on the tenant's
 * rules. Ending the calls afterwards gives each its record and its outcome.
 */
export class CloseTenant {
  readonly #changes: Changes;
  readonly #endCalls: Pick<EndCalls, 'run'>;
  readonly #executors: { readonly workers: CrossTenantPool; readonly events: Pick<Events, 'stop'> };

  constructor(
    changes: Changes,
    endCalls: Pick<EndCalls, 'run'>,
    executors: { readonly workers: CrossTenantPool; readonly events: Pick<Events, 'stop'> },
  ) {
    this.#changes = changes;
    this.#endCalls = endCalls;
    this.#executors = executors;
  }

  /** A tenant that was closed before stays as it is. @throws Fault `not_found` */
  async run({ tenant_id, reason }: KernelRequest<'tenant.close'>): Promise<TenantView> {
    requireId('tenant', tenant_id);
    const freeze_id = newId('freeze');
    const { tenant, operations } = await this.#changes.upkeep(tenant_id, async (rows) => {
      const p = { closed_by: ACTOR, reason, freeze_id };
      const value = await callIn(rows, kernelSql.closeTenant, { tenant: tenant_id, p });
      if (value === null) throw new Fault('not_found');
      if (!value.is_new) return { value, records: [] };
      const digest = contentDigest({ tenant_id, reason });
      return {
        value,
        records: [
          { kind: 'change', actor: ACTOR, change: { verb: 'tenant_closed', subject: tenant_id, digest } },
          ...(await endConnectionsOfTenant(rows, tenant_id, ACTOR)),
        ],
      };
    });
    await this.#endCalls.run(tenant_id, operations.slice(0, ENDED_MAX), ACTOR);
    await stopFrozen(this.#executors, tenant_id);
    return tenantView(tenant_id, tenant);
  }
}
