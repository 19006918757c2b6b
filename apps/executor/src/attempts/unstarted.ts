// SPDX-License-Identifier: Apache-2.0
import { SandboxUnstarted } from '../calls/sandbox-lost.ts';

/**
 * Attempts of a call that are given back where no container can be started: some three minutes, in which a rollout ends
 * or a node has room again. Later ones count as lost, since a call that can't start anywhere must end.
 */
const TRIES_MAX = 20;
/** Milliseconds by which the pause grows with each attempt of the call, and the most. */
const PAUSE_MS = { step: 1_000, max: 10_000 };

/**
 * Milliseconds to wait before an attempt is given back that failed with this error; null where it isn't given back: a
 * container has run, or too many attempts had none.
 *
 * @param attempt the number of the attempt, from 1
 */
export const unstartedPauseMs = (error: unknown, attempt: number): number | null =>
  error instanceof SandboxUnstarted && attempt <= TRIES_MAX ? Math.min(attempt * PAUSE_MS.step, PAUSE_MS.max) : null;
