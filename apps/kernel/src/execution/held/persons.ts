// SPDX-License-Identifier: Apache-2.0
import { principalOf, type Caller } from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** The persons who had a hand in a call: who proposed it, and who edited it since. */
export const proposersOf = ({
  proposers,
  proposed_by,
}: Pick<OperationRow, 'proposers' | 'proposed_by'>): readonly string[] =>
  proposers.length === 0 ? [proposed_by] : proposers;

/** Answers whether the caller speaks for one of them, with whatever key. */
export function isProposer(caller: Caller, operation: OperationRow): boolean {
  const isAgent = caller.agent_id !== null && caller.agent_id === operation.agent_id;
  return isAgent || caller.api_key_id === operation.proposed_by || proposersOf(operation).includes(principalOf(caller));
}
