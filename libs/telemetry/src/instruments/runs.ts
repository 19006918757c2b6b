// SPDX-License-Identifier: Apache-2.0
import { MODEL_SECONDS, TOKENS } from './buckets.ts';
import type { InstrumentRows } from './row.ts';

/** OpenTelemetry's names of providers, and our own for a recorded run. */
const PROVIDERS = ['openai', 'anthropic', 'gcp.gemini', 'transcript'] as const;
/** Why a model gave no reply. */
const MODEL_FAULTS = [
  'rate_limited',
  'overloaded',
  'unavailable',
  'interrupted',
  'timeout',
  'malformed',
  'context_exceeded',
  'unauthorized',
  'invalid',
  'aborted',
] as const;
const STOPPED = [
  'end',
  'limit',
  'length',
  'refusal',
  'malformed',
  'budget',
  'cancelled',
  'model_failed',
  'failed',
] as const;

const OF_A_REQUEST = {
  'gen_ai.operation.name': { values: ['chat'] },
  'gen_ai.provider.name': { values: PROVIDERS },
  'gen_ai.request.model': { bound: 'model' },
} as const;

/** Runs of agents, and their requests to models. */
export const RUNS = {
  'gen_ai.client.token.usage': {
    kind: 'histogram',
    unit: '{token}',
    scope: 'process',
    processes: ['orchestrator'],
    buckets: TOKENS,
    description: 'tokens of one request to a model; those that the provider read from its cache count as `input`',
    labels: { ...OF_A_REQUEST, 'gen_ai.token.type': { values: ['input', 'output'] } },
  },
  'gen_ai.client.operation.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['orchestrator'],
    buckets: MODEL_SECONDS,
    description: 'time from a request to a model to the end of its reply',
    labels: { ...OF_A_REQUEST, 'error.type': { values: MODEL_FAULTS, optional: true } },
  },
  'writ.run.cost': {
    kind: 'counter',
    unit: '{currency}',
    scope: 'process',
    processes: ['orchestrator'],
    description:
      'cost of replies by the prices of `WRIT_MODELS_FILE`, in their currency; a model without prices counts nothing',
    labels: { model: { bound: 'model' } },
  },
  'writ.runs.active': {
    kind: 'observableGauge',
    unit: '{run}',
    scope: 'shared',
    processes: ['orchestrator'],
    description:
      'runs that have not ended: `queued`, `running`, and `waiting` for a person or a sub-agent; counted up to 100,000',
    labels: { state: { values: ['queued', 'running', 'waiting'] } },
  },
  'writ.runs.driven': {
    kind: 'observableGauge',
    unit: '{run}',
    scope: 'process',
    processes: ['orchestrator'],
    description: 'runs that this process takes on now',
    labels: {},
  },
  'writ.runs.ended': {
    kind: 'counter',
    unit: '{run}',
    scope: 'process',
    processes: ['orchestrator'],
    description: 'runs that ended, by why',
    labels: { stopped: { values: STOPPED } },
  },
  'writ.run.round.overhead.duration': {
    kind: 'histogram',
    unit: 's',
    scope: 'process',
    processes: ['orchestrator'],
    description: "time from a model's reply with calls to the next request to it, without the calls themselves",
    labels: {},
  },
} as const satisfies InstrumentRows;
