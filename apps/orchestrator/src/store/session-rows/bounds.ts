// SPDX-License-Identifier: Apache-2.0

/** Nobody looks through a longer list of conversations; old ones are deleted. */
export const SESSIONS_MAX = 10_000;
/** A conversation of more tasks is longer than a model's context; each run rebuilds it from events. */
export const RUNS_MAX = 500;
/** Unfinished runs of one session; a caller that queues more is likely in error. */
export const UNENDED_MAX = 20;
