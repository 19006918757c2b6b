// SPDX-License-Identifier: Apache-2.0
import type { OperationFilter } from '../../data/operations.ts';
import { textsOf, type AddressMembers } from '../../parts/address.ts';
import { en } from '../../words/en.ts';

const STATES = Object.keys(en.states) as readonly NonNullable<OperationFilter['state']>[];

/** The members of an address that the list of operations knows; others, and wrong values, are left out. */
export function readActivitySearch(given: AddressMembers): OperationFilter {
  const state = STATES.find((one) => one === given['state']);
  return {
    ...(state === undefined ? {} : { state }),
    ...textsOf(given, 'tool_id', 'agent_id', 'session_id', 'workspace_id'),
  };
}
