// SPDX-License-Identifier: Apache-2.0
import type { UsageCounter } from '@writ/contract';

/** What has been counted of a container since its job began. */
export interface Measure {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** whether the kernel killed a process of it for want of memory; null when that isn't known */
  readonly outOfMemory: boolean | null;
  /** as in `SandboxUsage` */
  readonly countedBy?: UsageCounter;
}

/** Counts what one container uses. Neither method rejects for a container that is gone. */
export interface Meter {
  /** From here on counts: what the agent used to get ready is not the job's. */
  begin(): Promise<void>;
  /** What was used since the beginning; zeros where nobody knows. */
  read(): Promise<Measure>;
  /** Processor time used since the beginning, in milliseconds; null when nobody can tell. */
  cpuMs(): Promise<number | null>;
}
