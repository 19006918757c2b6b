// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, VoteCount } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { VotedCall, VotedOperation, VoteRole, VoteRow } from '../../foundation/rows/held-rows.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The least role whose approval counts under that much supervision. */
export const roleNeeded = (mode: AutonomyMode): VoteRole => (mode === 'escalated' ? 'admin' : 'operator');

/** The approving votes that count. */
export const approvalsIn = (votes: readonly VoteRow[]): readonly VoteRow[] =>
  votes.filter(({ says, stands }) => says === 'approve' && stands);

/** How many of the required persons have approved. */
export function countVotes({ autonomy_mode, quorum, votes }: VotedCall): VoteCount {
  const role = roleNeeded(autonomy_mode);
  return {
    given: approvalsIn(votes).filter((vote) => role === 'operator' || vote.role === 'admin').length,
    needed: quorum,
    role,
  };
}

/** The votes that the held ones among these operations wait for, by operation. */
export async function readVotes(
  tenants: TenantPool,
  tenantId: string,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, VoteCount>> {
  return votesByOperation(await kernelSql.votesOn(tenants.pool, { tenant: tenantId, operations: operationIds }));
}

export const votesByOperation = (rows: readonly VotedOperation[]): ReadonlyMap<string, VoteCount> =>
  new Map(rows.map((row) => [row.operation_id, countVotes(row)]));
