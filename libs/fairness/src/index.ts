// SPDX-License-Identifier: Apache-2.0
export { ChangedLimits, type ChangedPage, type ReadChanged } from './changed-limits.ts';
export { FairLimiter, type Offered, type PlaceBounds } from './fair-limiter.ts';
