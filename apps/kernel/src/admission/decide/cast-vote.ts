// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { unlessMoved, type HeldCalls, type Vote } from '../../execution/held/index.ts';
import { postable } from '../../judging/judgement/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { yesesOf } from '../../execution/held/votes-of-call.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import type { Tally } from './quorum.ts';

/** Writes a yes that doesn't complete the quorum: the call stays held, and nothing else is decided. */
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
   * The call, still held, once the vote and its record are durable. Null when the facts moved: then nothing was
   * written.
   */
  async run(held: HeldCall, vote: Vote, { needed, autonomy_mode }: Tally): Promise<OperationRow | null> {
    const { operation, approval } = held;
    const record = this.#held.sealVote(held, vote);
    const order = {
      operation_id: operation.operation_id,
      approval: { approval_id: approval.approval_id, quorum: needed, autonomy_mode },
      vote: { ...vote, record_id: record.record_id },
      records: [postable(record)],
    };
    const row = await unlessMoved(kernelSql.castVote(this.#tenants.pool, { tenant: operation.tenant_id, p: order }));
    if (row !== null) this.#announcer.announce(row, [record]);
    return row;
  }
}

/**
 * Whether exactly this was said before: then it is said once.
 * INVARIANT (one person, one vote): nobody votes twice, with another key or for another person.
 * @throws Fault `approval.voted`
 */
export function wasCast({ votes }: HeldCall, { principal, cast_as, delegation_id }: Vote): boolean {
  const before = yesesOf(votes).find((vote) => vote.principal === principal || vote.cast_as === cast_as);
  if (before === undefined) return false;
  if (before.principal === principal && before.cast_as === cast_as && before.delegation_id === delegation_id)
    return true;
  throw new Fault(
    'approval.voted',
    before.cast_as === cast_as
      ? 'you have voted already, and nobody has two votes'
      : 'somebody to whom it was delegated has voted for that person already',
  );
}
