// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken } from '@writ/contract';
import type { PolicyWaiting } from '../../judging/policies/policy-sets.ts';

/**
 * Until when an approval may be given: as long as the policy in force permits, and at the latest until the call's
 * deadline or its token's expiry. A later approval would have no effect.
 */
export function approvalExpiry(
  now: number,
  approvalMs: number,
  deadline: number | null,
  chain: readonly CapabilityToken[],
): number {
  return Math.min(now + approvalMs, deadline ?? Infinity, ...chain.map(({ grant }) => grant.expires_at));
}

/** The columns of an approval for what happens while it waits. The database decides when each is due. */
export const waitingColumns = (waiting: PolicyWaiting | null) => ({
  escalations: waiting === null || waiting.escalation.length === 0 ? null : waiting.escalation,
  reminders: waiting?.reminders_ms ?? [],
});
