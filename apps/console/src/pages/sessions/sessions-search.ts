// SPDX-License-Identifier: Apache-2.0
import type { SessionFilter } from '../../data/sessions.ts';

type Given = Readonly<Record<string, unknown>>;

const text = <Name extends string>(given: Given, name: Name): { readonly [name in Name]?: string } => {
  const value = given[name];
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as { readonly [name in Name]?: string };
};

/** The members of an address that the list of sessions knows; others, and wrong values, are left out. */
export const readSessionsSearch = (given: Given): SessionFilter => ({
  ...text(given, 'workspace_id'),
  ...text(given, 'run_id'),
});

export interface SessionSearch {
  /** the run that is shown first */
  readonly run?: string;
  /** the session that this one is a fork of is shown beside it */
  readonly beside?: true;
}

export const readSessionSearch = (given: Given): SessionSearch => ({
  ...text(given, 'run'),
  ...(given['beside'] === true ? { beside: true } : {}),
});

export interface ReplaySearch {
  /** the hash of a stored set; absent: the one in force */
  readonly policy?: string;
  readonly differing?: true;
}

export const readReplaySearch = (given: Given): ReplaySearch => ({
  ...text(given, 'policy'),
  ...(given['differing'] === true ? { differing: true } : {}),
});
