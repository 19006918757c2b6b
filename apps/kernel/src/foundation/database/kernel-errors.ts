// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { isSqlError } from '@writ/database';

/** Answers whether the statement refused because the operation id is another tenant's. */
export function isTaken(error: unknown): boolean {
  return isSqlError(error, 'operation_taken');
}

/**
 * Answers whether the statement refused because the facts moved since they were read, whichever of them: nothing was
 * written, and the caller decides again.
 */
export function isAgain(error: unknown): boolean {
  return isSqlError(error, 'decide_again', 'key_retired', 'tool_changed');
}

/**
 * Null where a statement that brings a decision was refused because the tool was changed since it was judged: nothing
 * was written.
 */
export async function unlessToolChanged<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (isSqlError(error, 'tool_changed')) return null;
    throw error;
  }
}

/**
 * Answers whether what moved is the key that the call was to be sealed under: no call is admitted under it any more.
 */
export function isKeyRetired(error: unknown): boolean {
  return isSqlError(error, 'key_retired');
}

/**
 * Answers whether a head's move was refused because nobody has counted yet what a quota bounds: nothing was written.
 */
export function isUncounted(error: unknown): boolean {
  return isSqlError(error, 'size_unknown');
}

/** `workspace.quota` where that is what the statement refused, in its words; anything else as it is. */
export function quotaFault(error: unknown): unknown {
  return isSqlError(error, 'quota_exceeded') ? new Fault('workspace.quota', error.message, { cause: error }) : error;
}
