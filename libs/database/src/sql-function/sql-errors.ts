// SPDX-License-Identifier: Apache-2.0
import { codeOf } from '../faults.ts';

/**
 * The errors that our SQL functions raise: name, SQLSTATE, meaning. The README of a schema's folder `sql` lists the
 * errors of its functions. Callers recognise an error by its SQLSTATE alone. Class `WR` is ours; the others have
 * PostgreSQL's names and meanings.
 */
export const SQL_ERRORS = {
  decide_again: { state: 'WR001', meaning: 'a fact that was decided on has changed; decide again' },
  operation_taken: { state: 'WR002', meaning: 'another tenant has the operation id' },
  quota_exceeded: { state: 'WR003', meaning: 'a quota is exceeded' },
  size_unknown: { state: 'WR004', meaning: 'a quota applies, and a size is unknown' },
  key_retired: {
    state: 'WR005',
    meaning: 'the key that seals a call is gone or retired; make a new one and decide again',
  },
  tool_changed: {
    state: 'WR006',
    meaning: 'the tool has another definition than the call was decided on; decide again',
  },
  resource_exists: { state: 'WR007', meaning: 'a resource of that kind has the name already' },
  task_unknown: { state: 'WR008', meaning: 'there is no such task for the call' },
  agent_conflict: { state: 'WR009', meaning: 'the agent is not in the state that the call changes' },
  key_bound: { state: 'WR012', meaning: 'the credential is bound to a capability token, and may not do this' },
  info_store_change_unknown: {
    state: 'WR031',
    meaning: 'there is no such staged change; it was discarded or swept, or never sealed',
  },
  info_store_change_differs: { state: 'WR032', meaning: 'the staged change has another operation or digest' },
  info_store_unknown: { state: 'WR033', meaning: 'the store of the change was removed' },
  info_store_differs: { state: 'WR034', meaning: 'a store of that id exists with another definition' },
  info_store_moved: { state: 'WR035', meaning: 'the store has another version than the change was committed on' },
  raise_exception: { state: 'P0001', meaning: 'the caller broke a rule of the function: a bug' },
  no_data_found: { state: 'P0002', meaning: 'the caller named a row that must exist and does not: a bug' },
  check_violation: { state: '23514', meaning: 'a transition of an operation that its lifecycle does not have: a bug' },
  insufficient_privilege: {
    state: '42501',
    meaning: 'the role or the tenant of the transaction may not do this: a bug',
  },
  program_limit_exceeded: { state: '54000', meaning: 'a bound on the number of rows is reached' },
} as const satisfies Readonly<Record<string, { readonly state: string; readonly meaning: string }>>;

export type SqlErrorName = keyof typeof SQL_ERRORS;

/** Answers whether a statement was refused with one of these errors. */
export function isSqlError(error: unknown, ...names: readonly SqlErrorName[]): error is Error {
  const code = codeOf(error);
  return error instanceof Error && names.some((name) => SQL_ERRORS[name].state === code);
}
