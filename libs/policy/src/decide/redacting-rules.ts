// SPDX-License-Identifier: Apache-2.0
import type { AppliedRedaction } from '@writ/contract';
import { CedarFailure } from '../cedar-instance.ts';
import type { PolicySet } from '../policy-set.ts';
import { takesTooMuch } from '../redaction/takes-too-much.ts';
import { answersOn, type Question } from './cedar.ts';
import type { Steps } from './steps.ts';

/** What is redacted of the result of a call, by which rules; or what these rules failed on. */
export interface RedactionDecision {
  /** sorted by the ids of the rules */
  readonly redactions: readonly AppliedRedaction[];
  readonly errors: readonly string[];
}

const failed = (...errors: readonly string[]): RedactionDecision => ({ redactions: [], errors });

/**
 * Asks the rules that redact, apart from those on calls. INVARIANT (each that holds applies): they are all `forbid`s,
 * and Cedar names every `forbid` that holds, whatever is permitted. One that holds for any path applies to the call. An
 * effect has no result.
 */
export function* decideRedactions(set: PolicySet, question: Question): Steps<RedactionDecision> {
  const { redactions: slice } = question.slice;
  if (slice === null || question.effect !== undefined) return failed();
  try {
    const answers = yield* answersOn(question, slice);
    const errors = answers.flatMap((answer) => answer.errors);
    if (errors.length > 0) return failed(...errors);
    const rules = [...new Set(answers.flatMap((answer) => answer.rules))].sort();
    const redactions = rules.map((rule) => ({ rule, pointers: [...(set.rules.get(rule)?.redacts ?? [])] }));
    return takesTooMuch(redactions)
      ? failed('a record has no place for all that rules redact')
      : { redactions, errors };
  } catch (error) {
    if (error instanceof CedarFailure) return failed(error.message);
    throw error;
  }
}
