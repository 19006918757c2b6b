// SPDX-License-Identifier: Apache-2.0
import type { OperationFilter } from '../../data/operations.ts';
import { en } from '../../words/en.ts';

const STATES = Object.keys(en.states) as readonly NonNullable<OperationFilter['state']>[];

/** The members of an address that the list of operations knows; others, and wrong values, are left out. */
export function readActivitySearch(given: Readonly<Record<string, unknown>>): OperationFilter {
  const text = (name: string): Record<string, string> =>
    typeof given[name] === 'string' && given[name] !== '' ? { [name]: given[name] } : {};
  const state = STATES.find((one) => one === given['state']);
  return {
    ...(state === undefined ? {} : { state }),
    ...text('tool_id'),
    ...text('agent_id'),
    ...text('session_id'),
    ...text('workspace_id'),
  };
}
