// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import {
  LimitsChanged,
  allowUnknownMembers,
  parseMessage,
  type ChangedTenant,
  type Subjects,
  type TenantId,
} from '@writ/contract';
import { ChangedLimits } from '@writ/fairness';

/** Longest wait for the kernel's reply, in milliseconds. */
const ASK_MS = 10_000;
const LIMITS_CHANGED = allowUnknownMembers(LimitsChanged);

/**
 * The limits that were set for tenants, and which tenants are closed, as this replica has fetched them. INVARIANT
 * (closed is final): no later answer opens a tenant again. A kernel of the version before says nothing of it.
 */
export class CachedTenantLimits extends ChangedLimits<ChangedTenant> {
  readonly #closed = new Set<TenantId>();
  /** closed tenants whose end isn't complete yet, as far as this replica knows */
  readonly #ending: Set<TenantId>;

  /** @param now milliseconds since the epoch */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    const ending = new Set<TenantId>();
    super(async (since, after) => {
      const subject = subjects.request('kernel.tenant.limits.changed');
      const reply = await bus.request(subject, { v: 1, since, after }, { deadline: now() + ASK_MS });
      const page = parseMessage(LIMITS_CHANGED, reply);
      for (const { tenant_id, closed } of page.items) if (closed === true) ending.add(tenant_id);
      return page;
    });
    this.#ending = ending;
  }

  /** Whether the tenant is closed: then no credential of it stands for anybody. */
  isClosed(tenantId: TenantId): boolean {
    return this.#closed.has(tenantId) || this.#ending.has(tenantId);
  }

  /**
   * Completes the end of each tenant that this replica has learned of, once: the one that closed it may have crashed
   * before. A tenant whose end fails is tried again the next time.
   */
  async endClosed(end: (tenantId: TenantId) => Promise<void>): Promise<void> {
    for (const tenantId of this.#ending) {
      if (!this.#closed.has(tenantId)) await end(tenantId);
      this.#closed.add(tenantId);
      this.#ending.delete(tenantId);
    }
  }
}
