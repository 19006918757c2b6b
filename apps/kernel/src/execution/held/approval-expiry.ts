// SPDX-License-Identifier: Apache-2.0
import type { CapabilityToken } from '@writ/contract';

/**
 * Until when an approval may be given: as long as the policy in force says, and to its call's deadline or its token's
 * end at the latest, since after that a yes would come to nothing.
 */
export function approvalExpiry(
  now: number,
  approvalMs: number,
  deadline: number | null,
  chain: readonly CapabilityToken[],
): number {
  return Math.min(now + approvalMs, deadline ?? Infinity, ...chain.map(({ grant }) => grant.expires_at));
}
