// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, LIMITS } from '@writ/contract';
import { frozenHint, frozenWords } from '../../foundation/rows/freeze-row.ts';
import { refusal, type CallFacts, type JudgedCall, type Refusal } from './call.ts';

/**
 * Decides whether there is still somebody and something to decide for: null when there is.
 * @throws Fault `record.backlog` while the tenant's records wait too long: a refusal would be one more record, so
 * nothing is decided.
 */
export function decideStanding(call: JudgedCall, facts: CallFacts): Refusal | null {
  const { oldest, rows } = facts.outbox;
  if (rows > LIMITS.outboxRows.max || (oldest !== null && facts.now - oldest > LIMITS.outboxAgeMs.max))
    throw new Fault('record.backlog');
  // Ahead of a freeze, which ends and leaves a held call as it is: a revocation is for good.
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
  // Ahead of anything that asks about the call: nothing of it matters while nobody may act.
  if (facts.frozen !== null) return refusal('frozen', frozenWords(facts.frozen), frozenHint(facts.frozen));
  return facts.agent ? null : refusal('not_found', 'there is no such agent');
}
