// SPDX-License-Identifier: Apache-2.0
import type { SandboxResult } from '@writ/sandbox';

/** The container was lost with its engine, through no fault of the call. The attempt waits for its lease to expire. */
export class SandboxLost extends Error {
  constructor(detail: string | null) {
    super(detail ?? 'the container was lost');
    this.name = 'SandboxLost';
  }
}

/** No container could be started, so nothing of the call has run. The attempt is given back. */
export class SandboxUnstarted extends SandboxLost {}

/** What a runner throws for a job that was lost with its engine. */
export const lossOf = ({ isUnstarted, detail }: Pick<SandboxResult, 'isUnstarted' | 'detail'>): SandboxLost =>
  isUnstarted === true ? new SandboxUnstarted(detail) : new SandboxLost(detail);
