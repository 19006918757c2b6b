// SPDX-License-Identifier: Apache-2.0
import type { InstrumentRows } from './row.ts';

/** Sandboxes of an executor, and their egress. */
export const SANDBOXES = {
  'writ.sandbox.pool.containers': {
    kind: 'observableGauge',
    unit: '{container}',
    scope: 'process',
    processes: ['executor'],
    description: 'containers of the warm pools: those that wait for a call, and those that are being started for it',
    labels: { state: { values: ['ready', 'starting'] } },
  },
  'writ.sandbox.acquisitions': {
    kind: 'counter',
    unit: '{container}',
    scope: 'process',
    processes: ['executor'],
    description: 'containers that calls were given: `hit` from the warm pool, `miss` started for the call',
    labels: { pool: { values: ['hit', 'miss'] } },
  },
  'writ.sandbox.start.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['executor'],
    description: "time from the order of a container to its agent's first word, or to the failure of its start",
    labels: { outcome: { values: ['ready', 'failed'] } },
  },
  'writ.sandbox.events': {
    kind: 'counter',
    unit: '{event}',
    scope: 'process',
    processes: ['executor'],
    description:
      'what happened to sandboxes beside calls: a pool that could not be refilled, a container that could not be removed, an engine that was lost, came back, has no room for another container (`engine.quota`) or refuses to keep house (`engine.refused`), what an earlier life left behind',
    labels: {
      event: {
        values: [
          'pool.refill_failed',
          'container.not_removed',
          'engine.lost',
          'engine.back',
          'engine.quota',
          'engine.refused',
          'swept',
        ],
      },
    },
  },
  'writ.egress.requests': {
    kind: 'counter',
    unit: '{request}',
    scope: 'process',
    processes: ['executor'],
    description: 'requests of calls to the network at the gate: let out, or refused with a fault code',
    labels: { decision: { values: ['admitted', 'refused'] }, fault: { bound: 'fault' } },
  },
  'writ.egress.io': {
    kind: 'counter',
    unit: 'By',
    scope: 'process',
    processes: ['executor'],
    description: 'bytes of calls that passed the gate',
    labels: { direction: { values: ['sent', 'received'] } },
  },
} as const satisfies InstrumentRows;
