// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, VoteCount } from '@writ/contract';
import { callKernel } from './kernel-function.ts';
import type { TenantPool } from './pools.ts';

/** A right to say yes to a held call. An administrator's is an operator's too. */
export type VoteRole = VoteCount['role'];

/** A row of kernel.vote as kernel.votes_of gives it. */
export interface VoteRow {
  readonly vote_id: string;
  readonly says: 'approve' | 'deny';
  /** whose vote it is; `cast_as` is the person behind the key that gave it */
  readonly principal: string;
  readonly role: VoteRole;
  readonly cast_by: string;
  readonly cast_as: string;
  readonly delegation_id: string | null;
  readonly effect_digest: string | null;
  readonly comment: string | null;
  readonly record_id: string | null;
  readonly created_at: number;
  /** whether it is for what the approval is of now, by a right that nobody took back */
  readonly stands: boolean;
}

/** A held call as its votes are counted. */
export interface VotedOn {
  readonly autonomy_mode: AutonomyMode;
  readonly quorum: number;
  readonly votes: readonly VoteRow[];
}

/** The least role whose yes counts under that much supervision. */
export const roleNeeded = (mode: AutonomyMode): VoteRole => (mode === 'escalated' ? 'admin' : 'operator');

/** The votes for it that stand. */
export const yesesOf = (votes: readonly VoteRow[]): readonly VoteRow[] =>
  votes.filter(({ says, stands }) => says === 'approve' && stands);

/** How many of how many have approved. */
export function countVotes({ autonomy_mode, quorum, votes }: VotedOn): VoteCount {
  const role = roleNeeded(autonomy_mode);
  return {
    given: yesesOf(votes).filter((vote) => role === 'operator' || vote.role === 'admin').length,
    needed: quorum,
    role,
  };
}

/** What the held ones among these operations wait for, by operation. */
export async function readVotes(
  tenants: TenantPool,
  tenantId: string,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, VoteCount>> {
  return votesByOperation(await callKernel<VotedOperation[]>(tenants.pool, 'votes_on', [tenantId, operationIds]));
}

/** One of what kernel.votes_on returns. */
export type VotedOperation = VotedOn & { readonly operation_id: string };

export const votesByOperation = (rows: readonly VotedOperation[]): ReadonlyMap<string, VoteCount> =>
  new Map(rows.map((row) => [row.operation_id, countVotes(row)]));
