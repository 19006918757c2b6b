// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';
import type { Staged } from '../calls/runner.ts';

/** Faults with which a call ends, the same whoever runs it; any other is ours, and the lease decides. */
const ENDED: Partial<Record<FaultCode, Staged['ended']>> = {
  'permit.invalid': 'invalid',
  'tool.not_available': 'invalid',
  'limit.exceeded': 'limit',
};

/**
 * The end of a call that no retry would change, as the fault tells it.
 * @throws the error itself where it is none of those: the lease decides then
 */
export function stagedOfFault(error: unknown): Staged {
  const ended = error instanceof Fault ? ENDED[error.code] : undefined;
  if (ended === undefined) throw error;
  return nothing(ended, error as Fault);
}

/**
 * Nothing ran, since what was handed out isn't what was ordered; or what it did could not be looked through within the
 * limits, and counts for nothing.
 */
function nothing(ended: Staged['ended'], fault: Fault): Staged {
  return {
    ended,
    exitCode: null,
    error: { code: fault.code, message: fault.message, hint: null },
    delta: null,
    blobs: [],
    result: null,
    usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
  };
}
