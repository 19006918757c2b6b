// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { FairTurnsBounds } from '@writ/fairness';

const [AT_ONCE, WAITING_MAX] = [2, 16];

/** Readings of much of a workspace: each holds `GIT_BYTES_MAX` twice at most, in the main thread and in a worker. */
export const LARGE_READINGS: FairTurnsBounds = {
  atOnce: AT_ONCE,
  // One tenant never has all of them.
  perTenantMax: AT_ONCE - 1,
  // Some minutes at the longest that a reading takes.
  waitingMax: WAITING_MAX,
  refusal: () => new Fault('overloaded', `${WAITING_MAX} effects of the tenant wait to be examined: try again later`),
};
