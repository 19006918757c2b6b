// SPDX-License-Identifier: Apache-2.0
import type { FaultCode } from '@writ/contract';

/** Why a run is broken off here. */
export class Broken extends Error {
  readonly why: 'cancelled' | 'revoked' | 'budget' | 'stopping' | 'lost';
  /** what refused it */
  readonly fault: FaultCode | null;

  constructor(why: Broken['why'], fault: FaultCode | null = null) {
    super(`the run was broken off: ${why}`);
    this.name = 'Broken';
    this.why = why;
    this.fault = fault;
  }
}
