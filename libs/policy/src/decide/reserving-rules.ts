// SPDX-License-Identifier: Apache-2.0
import { CedarFailure } from '../cedar-instance.ts';
import type { PolicyRule, PolicySet } from '../policy-set.ts';
import { answersOn, type Question } from './cedar.ts';
import type { SupervisionRequirement } from './corridor.ts';
import type { Steps } from './steps.ts';

/** The rules that reserve the approval of a call for groups; or what these rules failed on. */
export interface ReservationDecision {
  readonly reserved: readonly string[];
  readonly errors: readonly string[];
}

const failed = (...errors: readonly string[]): ReservationDecision => ({ reserved: [], errors });

/**
 * Asks the rules that reserve approvals, apart from those on calls. INVARIANT (each that holds applies): they are all
 * `forbid`s that don't read the supervision, and Cedar names every `forbid` that holds. So neither a permit nor more
 * supervision for another reason lifts a demand. One that holds for any path applies to the call.
 */
export function* decideReservations(question: Question): Steps<ReservationDecision> {
  const { reservations: slice } = question.slice;
  if (slice === null) return failed();
  try {
    const answers = yield* answersOn(question, slice);
    const errors = answers.flatMap((answer) => answer.errors);
    if (errors.length > 0) return failed(...errors);
    return { reserved: [...new Set(answers.flatMap((answer) => answer.rules))].sort(), errors };
  } catch (error) {
    if (error instanceof CedarFailure) return failed(error.message);
    throw error;
  }
}

/** What such a rule requires of the supervision: that a person approves. */
export function reservationGround({ rules }: PolicySet, id: string): SupervisionRequirement {
  const { reason, would_pass } = rules.get(id) as PolicyRule;
  return { rule_id: id, mode: 'soft_gate', reason, would_pass: would_pass ?? `a call that \`${id}\` doesn't name` };
}
