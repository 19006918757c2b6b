// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { isSqlError } from '@writ/database';

/** Returns whether the statement was refused because another tenant has the operation id. */
export function isOperationIdTaken(error: unknown): boolean {
  return isSqlError(error, 'operation_taken');
}

/**
 * Returns whether the statement was refused because a fact changed since it was read, whichever it is. Nothing was
 * written, and the caller decides again.
 */
export function mustDecideAgain(error: unknown): boolean {
  return isSqlError(error, 'decide_again', 'key_retired', 'tool_changed');
}

/**
 * Resolves with null where a statement that writes a decision was refused because the tool was changed since it was
 * judged. Nothing was written then.
 */
export async function unlessToolChanged<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (isSqlError(error, 'tool_changed')) return null;
    throw error;
  }
}

/** Returns whether the key that was to seal the call was retired: no call is admitted under it any more. */
export function isKeyRetired(error: unknown): boolean {
  return isSqlError(error, 'key_retired');
}

/**
 * Returns whether a head's move was refused because the sizes that a quota bounds are not counted yet. Nothing was
 * written.
 */
export function isSizeUnknown(error: unknown): boolean {
  return isSqlError(error, 'size_unknown');
}

/**
 * `workspace.quota`, with the statement's message, where the statement was refused for that; any other error unchanged.
 */
export function quotaFault(error: unknown): unknown {
  return isSqlError(error, 'quota_exceeded') ? new Fault('workspace.quota', error.message, { cause: error }) : error;
}

/** `token.agent` where the statement was refused since a credential is bound; any other error unchanged. */
export function boundFault(error: unknown): unknown {
  return isSqlError(error, 'key_bound') ? new Fault('token.agent', error.message, { cause: error }) : error;
}
