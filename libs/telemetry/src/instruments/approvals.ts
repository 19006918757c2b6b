// SPDX-License-Identifier: Apache-2.0
import { PERSON_SECONDS } from './buckets.ts';
import type { InstrumentRows } from './row.ts';

/** How an approval stops waiting. */
export const DECISIONS = ['approved', 'denied', 'expired', 'cancelled', 'superseded'] as const;

/** Approvals that wait for people, and their decisions. */
export const APPROVALS = {
  'writ.approvals.waiting': {
    kind: 'observableGauge',
    unit: '{approval}',
    scope: 'shared',
    processes: ['kernel'],
    description: 'approvals that wait for a person, by what is to be approved; counted up to 100,000',
    labels: { of: { values: ['action', 'effect', 'value'] } },
  },
  'writ.approvals.oldest.age': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'shared',
    processes: ['kernel'],
    description: 'age of the oldest approval that waits for a person; 0 where none waits',
    labels: {},
  },
  'writ.approvals.decided': {
    kind: 'counter',
    unit: '{approval}',
    scope: 'process',
    processes: ['kernel'],
    description:
      'approvals that wait no more: decided by a person (`approved`, `denied`), by time (`expired`), or withdrawn (`cancelled`, `superseded`)',
    labels: { decision: { values: DECISIONS } },
  },
  'writ.approval.wait.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['kernel'],
    buckets: PERSON_SECONDS,
    description: "time from an approval's beginning to its decision",
    labels: { decision: { values: DECISIONS } },
  },
} as const satisfies InstrumentRows;
