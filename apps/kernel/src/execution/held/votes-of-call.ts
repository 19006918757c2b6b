// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, VoteCount } from '@writ/contract';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { VotedCall, VotedOperation, VoteRole, VoteRow } from '../../foundation/rows/held-rows.ts';
import { isOfGroups, viewDemands } from './demands.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** The least role whose approval counts under that much supervision. */
export const roleNeeded = (mode: AutonomyMode): VoteRole => (mode === 'escalated' ? 'admin' : 'operator');

/** The approving votes that count. */
export const approvalsIn = (votes: readonly VoteRow[]): readonly VoteRow[] =>
  votes.filter(({ says, stands }) => says === 'approve' && stands);

/** How many of the required persons have approved. */
export function countVotes(call: VotedCall): VoteCount {
  const counted = countedVotes(call);
  // As many more persons as the demand needs that is the furthest from being met: none where all are.
  const missing = viewDemands(call, counted).map(({ count, given }) => count - given);
  const needed = Math.max(call.quorum, counted.length + Math.max(0, ...missing));
  return { given: counted.length, needed, role: roleNeeded(call.autonomy_mode) };
}

/** The approving votes that count: of persons with the role that is needed, whom the approval is reserved for. */
export function countedVotes(call: VotedCall): readonly VoteRow[] {
  const role = roleNeeded(call.autonomy_mode);
  return approvalsIn(call.votes).filter(
    (vote) => (role === 'operator' || vote.role === 'admin') && isOfGroups(vote, call),
  );
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
