// SPDX-License-Identifier: Apache-2.0
import { TX_OUTCOMES } from '@writ/contract';
import { DECISIONS } from './approvals.ts';
import { COARSE_SECONDS } from './buckets.ts';
import { VERDICTS } from './operations.ts';
import type { InstrumentRows } from './row.ts';

/** The only instruments with a label for tenants: few, with few other labels, since each tenant multiplies them. */
export const TENANTS = {
  'writ.tenant.operations.decided': {
    kind: 'counter',
    unit: '{operation}',
    scope: 'process',
    processes: ['kernel'],
    description: 'decisions about operations, by tenant',
    labels: { tenant: { bound: 'tenant' }, verdict: { values: VERDICTS } },
  },
  'writ.tenant.operations.ended': {
    kind: 'counter',
    unit: '{operation}',
    scope: 'process',
    processes: ['kernel'],
    description: 'operations that ended, by tenant',
    labels: { tenant: { bound: 'tenant' }, outcome: { values: TX_OUTCOMES } },
  },
  'writ.tenant.operation.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['kernel'],
    buckets: COARSE_SECONDS,
    description: 'time from the proposal of an operation to its end, by tenant',
    labels: { tenant: { bound: 'tenant' } },
  },
  'writ.tenant.approvals.decided': {
    kind: 'counter',
    unit: '{approval}',
    scope: 'process',
    processes: ['kernel'],
    description: 'approvals that wait no more, by tenant',
    labels: { tenant: { bound: 'tenant' }, decision: { values: DECISIONS } },
  },
  'writ.tenant.requests': {
    kind: 'counter',
    unit: '{request}',
    scope: 'process',
    processes: ['orchestrator'],
    description: "requests of a tenant's keys to the API, by the class of their status",
    labels: { tenant: { bound: 'tenant' }, class: { values: ['1xx', '2xx', '3xx', '4xx', '5xx'] } },
  },
  'writ.tenant.tokens': {
    kind: 'counter',
    unit: '{token}',
    scope: 'process',
    processes: ['orchestrator'],
    description: 'tokens that models used in runs of a tenant',
    labels: { tenant: { bound: 'tenant' }, type: { values: ['input', 'output'] } },
  },
  'writ.tenant.cost': {
    kind: 'counter',
    unit: '{currency}',
    scope: 'process',
    processes: ['orchestrator'],
    description: "cost of replies of models in runs of a tenant, in the currency of the models' prices",
    labels: { tenant: { bound: 'tenant' } },
  },
} as const satisfies InstrumentRows;
