// SPDX-License-Identifier: Apache-2.0
import { principalOf, type Caller } from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The persons who took part in a call: its proposer, and those who edited it since. */
export const proposersOf = ({
  proposers,
  proposed_by,
}: Pick<OperationRow, 'proposers' | 'proposed_by'>): readonly string[] =>
  proposers.length === 0 ? [proposed_by] : proposers;

/**
 * Returns whether the caller is one of them, with any of their keys.
 * @param otherNames of the caller's member, which is one person
 */
export function isProposer(caller: Caller, operation: OperationRow, otherNames: readonly string[] = []): boolean {
  const isAgent = caller.agent_id !== null && caller.agent_id === operation.agent_id;
  const names = [principalOf(caller), ...otherNames];
  return (
    isAgent ||
    caller.api_key_id === operation.proposed_by ||
    proposersOf(operation).some((proposer) => names.includes(proposer))
  );
}
