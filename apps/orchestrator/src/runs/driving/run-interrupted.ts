// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';

/** The interruption of a run that this replica drives, with its reason. */
export class RunInterrupted extends Error {
  readonly reason: 'cancelled' | 'revoked' | 'budget' | 'stopping' | 'lost';
  /** the fault that caused it */
  readonly fault: FaultCode | null;

  constructor(why: RunInterrupted['reason'], fault: FaultCode | null = null) {
    super(`the run was broken off: ${why}`);
    this.name = 'Broken';
    this.reason = why;
    this.fault = fault;
  }
}
