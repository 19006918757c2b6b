// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';
import { outcomeFault, type OutcomeFault } from '../outcomes/index.ts';

/** Faults that recur whenever the same effect is computed. */
const RECURRING: ReadonlySet<FaultCode> = new Set<FaultCode>(['internal', 'limit.exceeded']);
const HINT = "propose another call; the operator's log says what failed";

/**
 * The fault of a call whose effect could not be judged.
 * INVARIANT (a bug ends once): a bug, and work beyond its budget, would recur with the report that the executor
 * repeats. So it is the outcome of that one report.
 *
 * @param failed receives a bug, for operators
 * @throws the error itself where it is a fault of our own stores: then nothing is decided, and another try may help
 */
export function bugFault(error: unknown, failed: (error: unknown) => void): OutcomeFault {
  if (error instanceof Fault && !RECURRING.has(error.code)) throw error;
  if (error instanceof Fault && error.code === 'limit.exceeded') return outcomeFault(error.code, error.message);
  failed(error);
  const message = 'what the call did could not be judged, since something failed here that should not';
  return outcomeFault('internal', message, HINT);
}
