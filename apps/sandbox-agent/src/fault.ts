// SPDX-License-Identifier: Apache-2.0
import type { FaultReason } from '@writ/sandbox';

/** Why the job can't be finished. The agent reports it to the adapter and then waits to be ended. */
export class AgentFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason, detail: string) {
    super(detail);
    this.name = 'AgentFault';
    this.reason = reason;
  }
}

/** The `code` of an error of the operating system, `ENOSPC` for example. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
}
