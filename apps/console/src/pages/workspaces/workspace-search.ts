// SPDX-License-Identifier: Apache-2.0

/** What the address of a workspace says. */
export interface WorkspaceSearch {
  /** the state that is shown, a snapshot or a time; absent: the head */
  readonly at?: string;
  /** its place in the history: a restore makes a state that has the id of an earlier one */
  readonly seq?: number;
  /** the file that is shown, or a directory with a slash at its end */
  readonly path?: string;
  readonly view?: 'changes';
  /** what is compared with; absent: the state before */
  readonly from?: string;
}

/** Changes some members of the address; `undefined` takes one away. */
export type Change = (part: { readonly [K in keyof WorkspaceSearch]?: WorkspaceSearch[K] | undefined }) => void;

const SNAPSHOT = /^snap_[0-9a-f]{64}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/;
const PATH_CHARACTERS_MAX = 4_096;

/** The members of an address that the page of a workspace knows; others, and wrong values, are left out. */
export function readWorkspaceSearch(given: Readonly<Record<string, unknown>>): WorkspaceSearch {
  const { at, seq, path, view, from } = given;
  return {
    ...(typeof at === 'string' && (SNAPSHOT.test(at) || MOMENT.test(at)) ? { at } : {}),
    ...(Number.isSafeInteger(seq) && (seq as number) >= 0 ? { seq: seq as number } : {}),
    ...(typeof path === 'string' && path !== '' && path.length <= PATH_CHARACTERS_MAX ? { path } : {}),
    ...(view === 'changes' ? { view } : {}),
    ...(typeof from === 'string' && SNAPSHOT.test(from) ? { from } : {}),
  };
}
