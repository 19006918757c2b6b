// SPDX-License-Identifier: Apache-2.0
import { CALL_LANES, LANES, TX_OUTCOMES } from '@writ/contract';
import type { InstrumentRows } from './row.ts';

/** A refused call has no lane. */
export const LANES_OR_NONE = [...CALL_LANES, 'none'] as const;
/** The verdicts of decisions. */
export const VERDICTS = ['admitted', 'refused', 'held', 'no_op'] as const;

/** Decisions of the kernel, operations that wait, run and end, and attempts of executors. */
export const OPERATIONS = {
  'writ.operations.decided': {
    kind: 'counter',
    unit: '{operation}',
    scope: 'process',
    processes: ['kernel'],
    description: 'decisions about operations; `no_op` is a dry run',
    labels: { verdict: { values: VERDICTS }, tool: { bound: 'tool' }, lane: { values: LANES_OR_NONE } },
  },
  'writ.operations.ended': {
    kind: 'counter',
    unit: '{operation}',
    scope: 'process',
    processes: ['kernel'],
    description: 'operations that ended after they were admitted or held, by the outcome of their transaction',
    labels: { outcome: { values: TX_OUTCOMES }, tool: { bound: 'tool' }, lane: { values: LANES_OR_NONE } },
  },
  'writ.operations.faults': {
    kind: 'counter',
    unit: '{operation}',
    scope: 'process',
    processes: ['kernel'],
    description: 'operations that were refused or ended with a fault, by its code',
    labels: { fault: { bound: 'fault' } },
  },
  'writ.operation.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['kernel'],
    description: 'time from the proposal of an operation to its end, waiting for people included',
    labels: { outcome: { values: TX_OUTCOMES }, lane: { values: LANES_OR_NONE } },
  },
  'writ.operation.decision.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['kernel'],
    description: 'time from the arrival of a proposal at the kernel to its durable decision',
    labels: { verdict: { values: VERDICTS } },
  },
  'writ.operation.state.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['kernel'],
    description:
      'time that an operation was in a state: `admitted`, until it was dispatched (of first attempts of calls that nobody approved), and `dispatched`, until an executor redeemed its permit',
    labels: { state: { values: ['admitted', 'dispatched'] }, lane: { values: LANES_OR_NONE } },
  },
  'writ.operations.active': {
    kind: 'observableGauge',
    unit: '{operation}',
    scope: 'shared',
    processes: ['kernel'],
    description:
      'operations that wait or run: `admitted` wait for an executor, `dispatched` have a permit, `performing` run; counted up to 100,000 of each',
    labels: { state: { values: ['admitted', 'dispatched', 'performing'] }, lane: { values: LANES } },
  },
  'writ.operations.oldest.age': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'shared',
    processes: ['kernel'],
    description: 'age of the oldest operation that waits for an executor; 0 where none waits',
    labels: { lane: { values: LANES } },
  },
  'writ.attempts.requeued': {
    kind: 'counter',
    unit: '{attempt}',
    scope: 'process',
    processes: ['kernel'],
    description:
      'attempts whose call went back to the queue: `lost`, since its executor let the lease run out, or `unredeemed`, since no executor took the permit',
    labels: { reason: { values: ['lost', 'unredeemed'] } },
  },
  'writ.dispatch.slots': {
    kind: 'observableGauge',
    unit: '{slot}',
    scope: 'shared',
    processes: ['kernel'],
    description: 'slots of all executors that spoke within three seconds, as this kernel has heard them',
    labels: { lane: { values: LANES }, state: { values: ['free', 'all'] } },
  },
  'writ.executor.slots': {
    kind: 'observableGauge',
    unit: '{slot}',
    scope: 'process',
    processes: ['executor'],
    description: 'slots of the executor: attempts under way, and room for more',
    labels: { lane: { values: LANES }, state: { values: ['used', 'free'] } },
  },
  'writ.attempt.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['executor'],
    description: 'time from the arrival of a permit at an executor to the end of its attempt',
    labels: { lane: { values: LANES }, outcome: { values: ['reported', 'refused', 'not_ours', 'fenced', 'failed'] } },
  },
} as const satisfies InstrumentRows;
