// SPDX-License-Identifier: Apache-2.0
import { principalOf, type Caller } from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The persons who took part in a call: its proposer, and those who edited it since. */
export const proposersOf = ({
  proposers,
  proposed_by,
}: Pick<OperationRow, 'proposers' | 'proposed_by'>): readonly string[] =>
  proposers.length === 0 ? [proposed_by] : proposers;

/** Returns whether the caller is one of them, with any of their keys. */
export function isProposer(caller: Caller, operation: OperationRow): boolean {
  const isAgent = caller.agent_id !== null && caller.agent_id === operation.agent_id;
  return isAgent || caller.api_key_id === operation.proposed_by || proposersOf(operation).includes(principalOf(caller));
}
