// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, LIMITS } from '@writ/contract';
import { freezeHint, freezeMessage } from '../../foundation/rows/freeze-row.ts';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

/**
 * Decides the conditions that come before the call itself: backlog, tenant, key, deadline, freeze and agent. Null when
 * all hold.
 * @throws Fault `record.backlog` while the tenant's records wait too long: a refusal would be one more record, so
 * nothing is decided.
 */
export function decidePrerequisites(call: JudgedCall, facts: CallFacts): Refusal | null {
  const { oldest, rows } = facts.outbox;
  if (rows > LIMITS.outboxRows.max || (oldest !== null && facts.now - oldest > LIMITS.outboxAgeMs.max))
    throw new Fault('record.backlog');
  // Before the freeze that stops the tenant's calls, and before its keys, which were revoked with it.
  if (facts.closed) return refusal('tenant.closed', FAULTS['tenant.closed'].message);
  // Before the freeze, which ends and leaves a held call as it is: a revocation is permanent.
  if (facts.keyRevoked) {
    return refusal('key.revoked', FAULTS['key.revoked'].message, 'propose the call anew with another key');
  }
  if (call.deadline !== null && facts.now >= call.deadline) {
    return refusal(
      'deadline',
      'the deadline passed before the call was decided',
      'propose it again with a later deadline',
    );
  }
  // Before every check of the call itself: none of them matters while the call is frozen.
  if (facts.frozen !== null) return refusal('frozen', freezeMessage(facts.frozen), freezeHint(facts.frozen));
  return facts.agent ? null : refusal('not_found', 'there is no such agent');
}
