// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import { LimitsChanged, allowUnknownMembers, parseMessage, type ChangedTenant, type Subjects } from '@writ/contract';
import { ChangedLimits } from '@writ/fairness';

/** Longest wait for the kernel's reply, in milliseconds. */
const ASK_MS = 10_000;
const LIMITS_CHANGED = allowUnknownMembers(LimitsChanged);

/** The limits that were set for tenants, and which tenants are closed, as this replica has fetched them. */
export class CachedTenantLimits extends ChangedLimits<ChangedTenant> {
  /** @param now milliseconds since the epoch */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    super(async (since, after) => {
      const subject = subjects.request('kernel.tenant.limits.changed');
      const reply = await bus.request(subject, { v: 1, since, after }, { deadline: now() + ASK_MS });
      return parseMessage(LIMITS_CHANGED, reply);
    });
  }

  /** Whether the tenant is closed: then no credential of it stands for anybody. */
  isClosed(tenantId: string): boolean {
    return this.of(tenantId)?.closed === true;
  }
}
