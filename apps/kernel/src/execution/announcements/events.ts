// SPDX-License-Identifier: Apache-2.0
import type { OperationEvent } from '@writ/contract';

/** An event about an operation, complete. */
export type OperationChange = Required<Omit<OperationEvent, 'v'>>;

/**
 * Events that the kernel publishes. Nothing depends on them: a lost event costs a poll. Neither method throws or waits.
 */
export abstract class Events {
  /** An operation has reached a state that callers may wait for: `held`, or a final one. Called after COMMIT. */
  abstract operationChanged(change: OperationChange): void;
  /** The attempt under way must stop now: it was cancelled, or its token revoked. */
  abstract stop(tenantId: string, operationId: string, attempt: number): void;
}
