// SPDX-License-Identifier: Apache-2.0
import type { SessionFilter } from '../../data/sessions.ts';
import { textsOf, type AddressMembers } from '../../parts/address.ts';

/** The members of an address that the list of sessions knows; others, and wrong values, are left out. */
export const readSessionsSearch = (given: AddressMembers): SessionFilter => textsOf(given, 'workspace_id', 'run_id');

export interface SessionSearch {
  /** the run that is shown first */
  readonly run?: string;
  /** the session that this one is a fork of is shown beside it */
  readonly beside?: true;
}

export const readSessionSearch = (given: AddressMembers): SessionSearch => ({
  ...textsOf(given, 'run'),
  ...(given['beside'] === true ? { beside: true } : {}),
});

export interface ReplaySearch {
  /** the hash of a stored set; absent: the one in force */
  readonly policy?: string;
  readonly differing?: true;
}

export const readReplaySearch = (given: AddressMembers): ReplaySearch => ({
  ...textsOf(given, 'policy'),
  ...(given['differing'] === true ? { differing: true } : {}),
});
