// SPDX-License-Identifier: Apache-2.0
import { BATCH } from './buckets.ts';
import type { InstrumentRows } from './row.ts';

/** The log, and how records reach it. */
export const LEDGER = {
  'writ.outbox.records': {
    kind: 'observableGauge',
    unit: '{record}',
    scope: 'shared',
    processes: ['kernel'],
    description: 'records that wait for the ledger; counted up to 100,000',
    labels: {},
  },
  'writ.outbox.age': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'shared',
    processes: ['kernel'],
    description: 'age of the oldest record that waits for the ledger; 0 where none waits',
    labels: {},
  },
  'writ.outbox.sent': {
    kind: 'counter',
    unit: '{record}',
    scope: 'process',
    processes: ['kernel'],
    description: 'records that were sent to the ledger: `logged`, `refused` by it, or `unanswered` and sent again',
    labels: { result: { values: ['logged', 'refused', 'unanswered'] } },
  },
  'writ.ledger.records': {
    kind: 'counter',
    unit: '{record}',
    scope: 'process',
    processes: ['ledger'],
    description: 'records that the ledger was asked to append, by its answer',
    labels: { result: { values: ['appended', 'refused'] } },
  },
  'writ.ledger.append.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['ledger'],
    description: "time from a batch's arrival to its signed checkpoint",
    labels: { outcome: { bound: 'outcomeOfHandler' } },
  },
  'writ.ledger.append.records': {
    kind: 'histogram',
    unit: '{record}',
    scope: 'process',
    processes: ['ledger'],
    buckets: BATCH,
    description: 'records of one batch that the ledger was sent',
    labels: {},
  },
  'writ.ledger.checkpoint.age': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'process',
    processes: ['ledger'],
    description:
      'time since this ledger last signed a checkpoint, or since its start; it grows while there is nothing to sign',
    labels: {},
  },
  'writ.ledger.index.logs': {
    kind: 'observableGauge',
    unit: '{log}',
    scope: 'process',
    processes: ['ledger'],
    description: 'logs with records that this ledger has not indexed yet',
    labels: {},
  },
  'writ.ledger.index.lag': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'process',
    processes: ['ledger'],
    description: 'for how long the log that has waited longest for the record index has waited',
    labels: {},
  },
  'writ.ledger.witness.answers': {
    kind: 'counter',
    unit: '{answer}',
    scope: 'process',
    processes: ['ledger'],
    description:
      'answers of witnesses: `fork` is another root at the same size, `conflict` another size than asked, `silent` no answer',
    labels: { witness: { bound: 'witness' }, answer: { values: ['cosigned', 'conflict', 'fork', 'silent'] } },
  },
} as const satisfies InstrumentRows;
