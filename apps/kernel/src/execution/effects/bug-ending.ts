// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';
import { endingFault, type EndingFault } from '../outcomes/index.ts';

/** What comes again whenever the same effect is computed on. */
const COMES_AGAIN: ReadonlySet<FaultCode> = new Set<FaultCode>(['internal', 'limit.exceeded']);
const HINT = "propose another call; the operator's log says what failed";

/**
 * What ends a call whose effect could not be judged.
 * INVARIANT (a bug ends once): a bug, and work beyond its budget, would only come again with the report that the
 * executor repeats. So it is the outcome of that one report.
 *
 * @param failed gets a bug, for operators
 * @throws the error itself where it is a fault of our own stores: then nothing is decided, and asking again may help
 */
export function bugEnding(error: unknown, failed: (error: unknown) => void): EndingFault {
  if (error instanceof Fault && !COMES_AGAIN.has(error.code)) throw error;
  if (error instanceof Fault && error.code === 'limit.exceeded') return endingFault(error.code, error.message);
  failed(error);
  const message = 'what the call did could not be judged, since something failed here that should not';
  return endingFault('internal', message, HINT);
}
