// SPDX-License-Identifier: Apache-2.0
import { PROCESSES } from '@writ/contract';
import { GC_SECONDS } from './buckets.ts';
import type { InstrumentRows } from './row.ts';

const ofAll = { scope: 'process', processes: PROCESSES } as const;
const WORKING = ['kernel', 'executor', 'orchestrator'] as const;
const SINCE = 'since the metrics were last collected';
const HEAP_SPACE = { 'v8js.heap.space.name': { bound: 'heapSpace' } } as const;

/** Node.js, V8 and the process, by OpenTelemetry's names; worker threads and keys. */
export const RUNTIME = {
  'nodejs.eventloop.delay.p50': {
    kind: 'observableGauge',
    unit: 's',
    ...ofAll,
    description: `median of how long the event loop was held up ${SINCE}`,
    labels: {},
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'observableGauge',
    unit: 's',
    ...ofAll,
    description: `99th percentile of how long the event loop was held up ${SINCE}`,
    labels: {},
  },
  'nodejs.eventloop.delay.max': {
    kind: 'observableGauge',
    unit: 's',
    ...ofAll,
    description: `the longest that the event loop was held up ${SINCE}, by its work or by the machine's`,
    labels: {},
  },
  'nodejs.eventloop.utilization': {
    kind: 'observableGauge',
    unit: '1',
    ...ofAll,
    description: `share of the time ${SINCE} that the event loop was active`,
    labels: {},
  },
  'nodejs.eventloop.time': {
    kind: 'observableCounter',
    unit: 's',
    ...ofAll,
    description: 'time that the event loop was in a state',
    labels: { 'nodejs.eventloop.state': { values: ['active', 'idle'] } },
  },
  'writ.event_loop.work.max': {
    kind: 'observableGauge',
    unit: 's',
    ...ofAll,
    description: `the most processor time that the event loop used at once ${SINCE}: what it computes itself, whatever else the machine does`,
    labels: {},
  },
  'v8js.gc.duration': {
    kind: 'histogram',
    unit: 's',
    ...ofAll,
    buckets: GC_SECONDS,
    description: 'time of collections of garbage on the main thread',
    labels: { 'v8js.gc.type': { values: ['major', 'minor', 'incremental', 'weakcb'] } },
  },
  'v8js.memory.heap.limit': {
    kind: 'observableUpDownCounter',
    unit: 'By',
    ...ofAll,
    description: "size of a space of the main thread's heap",
    labels: HEAP_SPACE,
  },
  'v8js.memory.heap.used': {
    kind: 'observableUpDownCounter',
    unit: 'By',
    ...ofAll,
    description: "what is used of a space of the main thread's heap",
    labels: HEAP_SPACE,
  },
  'process.cpu.time': {
    kind: 'observableCounter',
    unit: 's',
    ...ofAll,
    description: 'processor time of the process, all threads',
    labels: { 'cpu.mode': { values: ['user', 'system'] } },
  },
  'process.memory.usage': {
    kind: 'observableUpDownCounter',
    unit: 'By',
    ...ofAll,
    description: 'physical memory of the process (resident set)',
    labels: {},
  },
  'process.uptime': {
    kind: 'observableGauge',
    unit: 's',
    ...ofAll,
    description: 'time since the process started',
    labels: {},
  },
  'writ.keys.unread': {
    kind: 'observableGauge',
    unit: '{key}',
    scope: 'process',
    processes: PROCESSES,
    description: "1 for keys whose file can't be read: those that were read before stay in force",
    labels: { keys: { bound: 'keys' } },
  },
  'writ.worker_pool.tasks': {
    kind: 'observableGauge',
    unit: '{task}',
    scope: 'process',
    processes: WORKING,
    description: 'work on worker threads: under way, and waiting for a thread',
    labels: { state: { values: ['running', 'queued'] } },
  },
  'writ.worker_pool.tasks.stopped': {
    kind: 'observableCounter',
    unit: '{task}',
    scope: 'process',
    processes: WORKING,
    description: 'work that was ended beyond its budget of time or memory',
    labels: {},
  },
  'writ.worker_pool.busy.time': {
    kind: 'observableCounter',
    unit: 's',
    scope: 'process',
    processes: WORKING,
    description: 'time that worker threads were busy, by the kind of work',
    labels: { task: { bound: 'task' } },
  },
  'db.client.connection.count': {
    kind: 'observableUpDownCounter',
    unit: '{connection}',
    ...ofAll,
    description: 'connections of a pool to Postgres',
    labels: {
      'db.client.connection.pool.name': { bound: 'pool' },
      'db.client.connection.state': { values: ['idle', 'used'] },
    },
  },
  'db.client.connection.max': {
    kind: 'observableUpDownCounter',
    unit: '{connection}',
    ...ofAll,
    description: 'the most connections that a pool opens',
    labels: { 'db.client.connection.pool.name': { bound: 'pool' } },
  },
  'db.client.connection.pending_requests': {
    kind: 'observableUpDownCounter',
    unit: '{request}',
    ...ofAll,
    description: 'requests that wait for a connection of a pool',
    labels: { 'db.client.connection.pool.name': { bound: 'pool' } },
  },
  'db.client.connection.wait_time': {
    kind: 'histogram',
    unit: 's',
    ...ofAll,
    description: 'time until a pool gave a connection, opening one included',
    labels: { 'db.client.connection.pool.name': { bound: 'pool' } },
  },
} as const satisfies InstrumentRows;
