// SPDX-License-Identifier: Apache-2.0
import { costOf, Model, ModelError, type Conversation, type ModelDelta, type ModelTurn } from '@writ/agent-loop';
import type { Counter, Histogram, LabelsOf, Meter } from '@writ/telemetry';
import type { RunStopped } from '../../store/sessions/run-events.ts';
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

/** Counts what runs use and how they end. Nothing follows from it. */
export class RunWatch {
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

  /** The model, with its requests for the tenant's run counted. */
  of(model: Model, configured: ConfiguredModel, tenantId: string): Model {
    return new WatchedModel(model, (seconds, turn, error) => {
      this.#asked(configured, tenantId, { seconds, turn, error });
    });
  }

  ended(stopped: RunStopped): void {
    this.#ended.add(1, { stopped });
  }

  /** What a round of a run took of this process, in milliseconds. */
  took(ms: number): void {
    this.#overhead.record(ms / 1_000);
  }

  #asked(
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

/** A model that says how each of its replies ended, and after how many seconds. */
class WatchedModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #tell: (seconds: number, turn: ModelTurn | null, error: unknown) => void;

  constructor(model: Model, tell: (seconds: number, turn: ModelTurn | null, error: unknown) => void) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#tell = tell;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    const began = performance.now();
    const seconds = (): number => (performance.now() - began) / 1_000;
    try {
      const turn = yield* this.#model.reply(conversation, signal);
      this.#tell(seconds(), turn, null);
      return turn;
    } catch (error) {
      this.#tell(seconds(), null, error);
      throw error;
    }
  }
}
