// SPDX-License-Identifier: Apache-2.0

/** More conversations of one tenant than this are a list that nobody looks through; old ones are deleted. */
export const SESSIONS_MAX = 10_000;
/** A conversation of more tasks is longer than models read; it is folded anew at each run. */
export const RUNS_MAX = 500;
/** Runs of one session that have not ended: who queues more has lost count. */
export const UNENDED_MAX = 20;
