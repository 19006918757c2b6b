// SPDX-License-Identifier: Apache-2.0
import type { InstrumentRows } from './row.ts';

/** OpenTelemetry's list of methods, with its name for all others. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', '_OTHER'] as const;

/** Requests over HTTP and over the bus, and deliveries to webhooks. */
export const EDGE = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['orchestrator'],
    description: "time from a request's arrival to the end of its answer",
    labels: {
      'http.request.method': { values: METHODS },
      'url.scheme': { values: ['http'] },
      'http.route': { bound: 'route' },
      'http.response.status_code': { bound: 'status' },
    },
  },
  'http.server.active_requests': {
    kind: 'observableUpDownCounter',
    unit: '{request}',
    scope: 'process',
    processes: ['orchestrator'],
    description: 'requests under way, streams of events included',
    labels: { 'http.request.method': { values: METHODS }, 'url.scheme': { values: ['http'] } },
  },
  'writ.bus.handler.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['orchestrator', 'kernel', 'executor', 'ledger'],
    description: "time from a message's arrival to its answer",
    labels: { verb: { bound: 'verb' }, outcome: { bound: 'outcomeOfHandler' } },
  },
  'writ.webhook.deliveries': {
    kind: 'counter',
    unit: '{attempt}',
    scope: 'process',
    processes: ['orchestrator'],
    description:
      'attempts to deliver a message to a webhook: it arrived (`delivered`), is tried again (`retried`), or is given up (`failed`)',
    labels: { outcome: { values: ['delivered', 'retried', 'failed'] } },
  },
  'writ.webhook.delivery.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['orchestrator'],
    description: 'time of one attempt to deliver a message to a webhook',
    labels: { outcome: { values: ['delivered', 'retried', 'failed'] } },
  },
  'writ.webhook.deliveries.waiting': {
    kind: 'observableGauge',
    unit: '{message}',
    scope: 'shared',
    processes: ['orchestrator'],
    description: 'messages that wait for delivery, those between two attempts included; counted up to 100,000',
    labels: {},
  },
  'writ.webhook.deliveries.overdue.age': {
    kind: 'observableGauge',
    unit: 's',
    scope: 'shared',
    processes: ['orchestrator'],
    description: 'for how long the message that is due longest has been due; 0 where none is due',
    labels: {},
  },
} as const satisfies InstrumentRows;
