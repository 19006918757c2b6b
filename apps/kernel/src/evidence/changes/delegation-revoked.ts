// SPDX-License-Identifier: Apache-2.0
import type { ChangeRecord } from './changes.ts';

/** The record of a delegation's revocation. */
export const delegationRevoked = (actor: string, delegationId: string): ChangeRecord => ({
  kind: 'approval',
  actor,
  change: { verb: 'revoke_delegation', subject: delegationId, digest: null },
});
