// SPDX-License-Identifier: Apache-2.0
import type { UsageCounter } from '@writ/contract';

/** The usage of a container since its job began. */
export interface Measure {
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** whether the kernel killed a process of it for lack of memory; null when that is unknown */
  readonly outOfMemory: boolean | null;
  /** as in `SandboxUsage` */
  readonly countedBy?: UsageCounter;
  /** as in `SandboxUsage` */
  readonly isAssumed?: true;
}

/** Counts what one container uses. Neither method rejects for a removed container. */
export interface Meter {
  /** Counting starts here: what the agent used to get ready isn't the job's. */
  begin(): Promise<void>;
  /** The usage since the beginning; zeros where it is unknown. */
  read(): Promise<Measure>;
  /** Processor time used since the beginning, in milliseconds; null when no value is available. */
  cpuMs(): Promise<number | null>;
}
