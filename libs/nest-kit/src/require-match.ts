// SPDX-License-Identifier: Apache-2.0
import { ANY_STATE, Fault } from '@writ/contract';
import { entityTag } from '@writ/digest';

/**
 * Compares what a change replaces with what its caller has read. INVARIANT (one winner): callers MUST call this in the
 * transaction of the change, after the lock or on the row that later changes wait for.
 * @param view what the API shows of the thing to this caller; null where there is none
 * @throws Fault `precondition.failed`, with the present tag
 */
export function requireMatch(wanted: readonly string[] | null | undefined, view: unknown): void {
  if (wanted === undefined || wanted === null) return;
  if (view === null) throw changedMeanwhile(null);
  if (wanted.includes(ANY_STATE)) return;
  const tag = entityTag(view);
  if (!wanted.includes(tag)) throw changedMeanwhile(tag);
}

/** The fault for a change whose condition does not hold. */
export function changedMeanwhile(tag: string | null): Fault {
  return new Fault(
    'precondition.failed',
    tag === null
      ? 'there is nothing there, so `If-Match` names no state of it; nothing was changed'
      : `it is in another state than \`If-Match\` names; nothing was changed. Its tag is \`"${tag}"\`: read it again, and send the change with that tag if it is still wanted`,
  );
}
