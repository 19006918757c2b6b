// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import { LimitsChanged, opened, parseMessage, type Subjects, type TenantLimits } from '@writ/contract';
import { ChangedLimits } from '@writ/fairness';

/** Longest that the question waits for its answer, in milliseconds. */
const ASK_MS = 10_000;
const LIMITS_CHANGED = opened(LimitsChanged);

/** The limits that tenants were set, as far as the kernel told them to this replica. */
export class SetLimits extends ChangedLimits<TenantLimits> {
  /** @param now milliseconds since the epoch */
  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    super(async (since, after) => {
      const subject = subjects.request('kernel.tenant.limits.changed');
      const reply = await bus.request(subject, { v: 1, since, after }, { deadline: now() + ASK_MS });
      return parseMessage(LIMITS_CHANGED, reply);
    });
  }
}
