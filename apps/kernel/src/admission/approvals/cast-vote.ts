// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { demandsColumn, unlessMoved, type HeldCalls, type Vote } from '../../execution/held/index.ts';
import { postable } from '../../judging/judgement/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { approvalsIn } from '../../execution/held/votes-of-call.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import type { Tally } from './quorum.ts';

/** Writes an approving vote that doesn't complete the quorum. The call stays held, and nothing else is decided. */
export class CastVote {
  readonly #tenants: TenantPool;
  readonly #held: HeldCalls;
  readonly #announcer: Announcer;

  constructor(tenants: TenantPool, held: HeldCalls, announcer: Announcer) {
    this.#tenants = tenants;
    this.#held = held;
    this.#announcer = announcer;
  }

  /**
   * Resolves with the held call once the vote and its record are durable. Resolves with null where the facts have
   * changed: then nothing was written.
   */
  async run(held: HeldCall, { vote, quorum, autonomy_mode, demands }: Tally): Promise<OperationRow | null> {
    const { operation, approval } = held;
    const record = this.#held.sealVote(held, vote);
    const change = {
      operation_id: operation.operation_id,
      approval: { approval_id: approval.approval_id, quorum, autonomy_mode, demands: demandsColumn(demands) },
      vote: { ...vote, record_id: record.record_id },
      records: [postable(record)],
    };
    const row = await unlessMoved(kernelSql.castVote(this.#tenants.pool, { tenant: operation.tenant_id, p: change }));
    if (row !== null) this.#announcer.announce(row, [record]);
    return row;
  }
}

type Caster = Pick<Vote, 'principal' | 'cast_as' | 'delegation_id'>;
const isSameVote = (one: Caster, other: Caster): boolean =>
  one.principal === other.principal && one.cast_as === other.cast_as && one.delegation_id === other.delegation_id;

/** Whether the same vote was cast before. Then it is not written again. */
export const isRepeatedVote = ({ votes }: HeldCall, vote: Vote): boolean =>
  approvalsIn(votes).some((each) => isSameVote(each, vote));

/**
 * INVARIANT (one person, one vote): nobody votes twice, neither with another key nor for another person. The same vote
 * again is one vote.
 * @param otherNames of whoever casts it, who is one person
 * @throws Fault `approval.voted`
 */
export function requireOneVote({ votes }: HeldCall, vote: Vote, otherNames: readonly string[] = []): void {
  const { principal, cast_as } = vote;
  if (approvalsIn(votes).some((each) => otherNames.includes(each.principal) || otherNames.includes(each.cast_as)))
    throw new Fault('approval.voted', 'you have already voted under another name, and each person has one vote');
  const earlier = approvalsIn(votes).find((each) => each.principal === principal || each.cast_as === cast_as);
  if (earlier === undefined || isSameVote(earlier, vote)) return;
  throw new Fault(
    'approval.voted',
    earlier.cast_as === cast_as
      ? 'you have already voted, and each person has one vote'
      : 'a delegate has already voted for that person',
  );
}
