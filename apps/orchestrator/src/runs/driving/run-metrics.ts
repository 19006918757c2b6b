// SPDX-License-Identifier: Apache-2.0
import { costOf, Model, ModelError, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import type { Counter, Histogram, LabelsOf, Meter } from '@writ/telemetry';
import type { RunStopped } from '../../store/session-rows/run-events.ts';
import type { ConfiguredModel, Provider } from '../models/models-file.ts';

type RequestLabels = Omit<LabelsOf<'gen_ai.client.operation.duration'>, 'error.type'>;

/** OpenTelemetry's names of providers. */
const PROVIDERS = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gcp.gemini',
  transcript: 'transcript',
} as const satisfies Record<Provider, string>;

/** Prices are millionths of a currency. */
const MILLION = 1e6;

/** Records metrics of runs: usage, ends and overhead. Nothing depends on them. */
export class RunMetrics {
  readonly #tokens: Histogram<'gen_ai.client.token.usage'>;
  readonly #seconds: Histogram<'gen_ai.client.operation.duration'>;
  readonly #cost: Counter<'writ.run.cost'>;
  readonly #ended: Counter<'writ.runs.ended'>;
  readonly #tokensOfTenants: Counter<'writ.tenant.tokens'>;
  readonly #costOfTenants: Counter<'writ.tenant.cost'>;
  readonly #overhead: Histogram<'writ.run.round.overhead.duration'>;

  constructor(meter: Meter) {
    this.#tokens = meter.histogram('gen_ai.client.token.usage');
    this.#seconds = meter.histogram('gen_ai.client.operation.duration');
    this.#cost = meter.counter('writ.run.cost');
    this.#ended = meter.counter('writ.runs.ended');
    this.#tokensOfTenants = meter.counter('writ.tenant.tokens');
    this.#costOfTenants = meter.counter('writ.tenant.cost');
    this.#overhead = meter.histogram('writ.run.round.overhead.duration');
  }

  /** Wraps the model so that its requests for the tenant are counted. */
  of(model: Model, configured: ConfiguredModel, tenantId: string): Model {
    return new MeteredModel(model, (seconds, turn, error) => {
      this.#record(configured, tenantId, { seconds, turn, error });
    });
  }

  ended(stopped: RunStopped): void {
    this.#ended.add(1, { stopped });
  }

  /** Records this process's overhead in a round of a run, in milliseconds. */
  took(ms: number): void {
    this.#overhead.record(ms / 1_000);
  }

  #record(
    { name, provider, prices }: ConfiguredModel,
    tenant: string,
    { seconds, turn, error }: { seconds: number; turn: ModelTurn | null; error: unknown },
  ): void {
    const labels: RequestLabels = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDERS[provider],
      'gen_ai.request.model': name,
    };
    this.#seconds.record(
      seconds,
      turn === null ? { ...labels, 'error.type': error instanceof ModelError ? error.fault : 'aborted' } : labels,
    );
    const usage = turn?.usage;
    if (usage === undefined) return;
    for (const [type, tokens] of [
      ['input', usage.input_tokens],
      ['output', usage.output_tokens],
    ] as const) {
      this.#tokens.record(tokens, { ...labels, 'gen_ai.token.type': type });
      this.#tokensOfTenants.add(tokens, { tenant, type });
    }
    if (prices === null) return;
    const cost = costOf(usage, prices) / MILLION;
    this.#cost.add(cost, { model: name });
    this.#costOfTenants.add(cost, { tenant });
  }
}

/** A model that reports how each of its replies ended, and after how many seconds. */
class MeteredModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #report: (seconds: number, turn: ModelTurn | null, error: unknown) => void;

  constructor(model: Model, report: (seconds: number, turn: ModelTurn | null, error: unknown) => void) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#report = report;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const began = performance.now();
    const seconds = (): number => (performance.now() - began) / 1_000;
    try {
      const turn = yield* this.#model.reply(conversation, signal);
      this.#report(seconds(), turn, null);
      return turn;
    } catch (error) {
      this.#report(seconds(), null, error);
      throw error;
    }
  }
}
