// SPDX-License-Identifier: Apache-2.0
import { Model, ModelError, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import { startTelemetry, type Telemetry } from '@writ/telemetry';
import type { ConfiguredModel } from '../models/models-file.ts';
import { RunMetrics } from './run-metrics.ts';

/** Replies at once, or fails. */
class OneReply extends Model {
  readonly name = 'm';
  readonly #turn: ModelTurn | Error;
  constructor(turn: ModelTurn | Error) {
    super();
    this.#turn = turn;
  }
  override async *reply(): AsyncGenerator<ModelDelta, ModelTurn, void> {
    yield { kind: 'text', text: 'a' };
    if (this.#turn instanceof Error) throw this.#turn;
    return this.#turn;
  }
}

const TURN: ModelTurn = {
  text: 'a',
  calls: [],
  stop: 'end',
  usage: { input_tokens: 900, cached_tokens: 0, output_tokens: 40 },
};
/** One euro for a million tokens in, ten for a million out. */
const CONFIGURED = {
  name: 'big',
  provider: 'gemini',
  model: 'g-1',
  base_url: undefined,
  apiKey: 'k',
  idle_ms: undefined,
  prices: { input: 1_000_000, cached: 1_000_000, output: 10_000_000 },
  currency: 'EUR',
  context_tokens_max: null,
} as unknown as ConfiguredModel;
const CONVERSATION: Conversation = { system: '', messages: [], tools: [] };

let telemetry: Telemetry;
beforeEach(() => {
  telemetry = startTelemetry({ service: 'orchestrator', version: '0' });
});
afterEach(() => telemetry.shutdown());

async function asked(
  turn: ModelTurn | Error,
  configured = CONFIGURED,
): Promise<{ readonly turn: ModelTurn | null; readonly metrics: string }> {
  const stream = new RunMetrics(telemetry.meter)
    .of(new OneReply(turn), configured, 'ten_1')
    .reply(CONVERSATION, new AbortController().signal);
  let answer: ModelTurn | null = null;
  try {
    for (let next = await stream.next(); ; next = await stream.next())
      if (next.done === true) {
        answer = next.value;
        break;
      }
  } catch {
    /* counted */
  }
  return { turn: answer, metrics: await telemetry.metricsText() };
}

const OF = 'gen_ai_operation_name="chat",gen_ai_provider_name="gcp.gemini",gen_ai_request_model="big"';

test('a reply is timed, and its tokens and cost are counted for its model and its tenant', async () => {
  const { turn, metrics } = await asked(TURN);
  expect(turn).toBe(TURN);
  for (const line of [
    `gen_ai_client_operation_duration_seconds_count{${OF}} 1`,
    `gen_ai_client_token_usage_sum{${OF},gen_ai_token_type="input"} 900`,
    `gen_ai_client_token_usage_sum{${OF},gen_ai_token_type="output"} 40`,
    'writ_run_cost_total{model="big"} 0.0013',
    'writ_tenant_tokens_total{tenant="ten_1",type="output"} 40',
    'writ_tenant_cost_total{tenant="ten_1"} 0.0013',
  ])
    expect(metrics).toContain(line);
});

test('a model without prices has no cost metrics', async () => {
  const { metrics } = await asked(TURN, { ...CONFIGURED, prices: null });
  expect(metrics).toContain(`gen_ai_client_token_usage_sum{${OF},gen_ai_token_type="input"} 900`);
  expect(metrics).not.toMatch(/^writ_(?:run|tenant)_cost_total\{/m);
});

test.each([
  [new ModelError('rate_limited', 'slow down'), 'rate_limited'],
  [new Error('broken off'), 'aborted'],
])('a model that gives no reply (%s) is timed with why, and its error thrown on', async (error, type) => {
  const { turn, metrics } = await asked(error);
  expect(turn).toBeNull();
  expect(metrics).toContain(`gen_ai_client_operation_duration_seconds_count{${OF},error_type="${type}"} 1`);
  expect(metrics).not.toContain('gen_ai_client_token_usage_sum{');
});

test('ends of runs are counted by reason', async () => {
  new RunMetrics(telemetry.meter).ended('budget');
  expect(await telemetry.metricsText()).toContain('writ_runs_ended_total{stopped="budget"} 1');
});
