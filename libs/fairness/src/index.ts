// SPDX-License-Identifier: Apache-2.0
export { ChangedLimits, type ChangedPage, type ReadChanged } from './changed-limits.ts';
export { AGES_AFTER_MS, rankOf, schedulingClassOf, type WaitingWork } from './scheduling-order.ts';
export { FairTurns, type FairTurnsBounds } from './fair-turns.ts';
export { FairLimiter, type LimiterBounds, type OfferResult, type WaitingOrder } from './fair-limiter.ts';
