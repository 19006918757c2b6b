// SPDX-License-Identifier: Apache-2.0
import type { OperationEvent } from '@writ/contract';

/** What is told of an operation, whole. */
export type OperationChange = Required<Omit<OperationEvent, 'v'>>;

/**
 * What the kernel tells whoever listens. Nothing depends on it: a lost event costs a poll. Neither method throws or
 * waits.
 */
export abstract class Events {
  /** An operation has come into a state that somebody may wait for: `held`, or a final one. Called after COMMIT. */
  abstract operationChanged(change: OperationChange): void;
  /** The attempt under way must stop now: it was cancelled, or its token revoked. */
  abstract stop(tenantId: string, operationId: string, attempt: number): void;
}
