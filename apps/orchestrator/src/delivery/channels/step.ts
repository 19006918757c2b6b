// SPDX-License-Identifier: Apache-2.0
// Steps of an approval in a channel whose messages can't be changed: one message asks, one follows each escalation, and
// one says what became of it. Votes send none.
import { parseJson } from '@writ/digest';
import type { ShownApproval } from './shown-approval.ts';

/** What was sent about an approval so far. */
interface SentSteps {
  readonly state: string;
  /** how many groups it was escalated to */
  readonly escalated: number;
}

/** `next`: the reference after the step. */
export interface Step {
  readonly kind: 'ask' | 'escalate' | 'end';
  readonly next: string;
}

/**
 * The step that is due; null: none is.
 * @param reference the one after the step before; null: nothing was sent yet
 */
export function stepOf({ state, escalated_to = [] }: ShownApproval, reference: string | null): Step | null {
  const escalated = escalated_to.length;
  const next = JSON.stringify({ state, escalated } satisfies SentSteps);
  if (reference === null) return { kind: 'ask', next };
  const sent = parseJson(reference) as SentSteps;
  if (state !== 'pending') return sent.state === state ? null : { kind: 'end', next };
  return escalated > sent.escalated ? { kind: 'escalate', next } : null;
}
