// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';
import type { Staged } from '../calls/runner.ts';

/**
 * Faults that end a call in the same way whichever executor runs it. With any other fault the executor is at fault, and
 * the attempt waits for its lease to expire.
 */
const ENDED_BY_FAULT: Partial<Record<FaultCode, Staged['ended']>> = {
  'permit.invalid': 'invalid',
  'tool.not_available': 'invalid',
  'limit.exceeded': 'limit',
  'image.unavailable': 'failed',
};

/**
 * The staged end of a call whose fault no retry would change.
 * @throws the error itself where it is another one: then the attempt waits for its lease to expire
 */
export function stagedOfFault(error: unknown): Staged {
  const ended = error instanceof Fault ? ENDED_BY_FAULT[error.code] : undefined;
  if (ended === undefined) throw error;
  return stagedWithoutEffect(ended, error as Fault);
}

/**
 * A staged end without an effect. Either nothing ran, because the redemption differs from the permit, or the executor
 * couldn't examine the effect within the limits.
 */
function stagedWithoutEffect(ended: Staged['ended'], fault: Fault): Staged {
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
