// SPDX-License-Identifier: Apache-2.0
import {
  Model,
  MODEL_FAULTS,
  ModelError,
  TranscriptModel,
  type Conversation,
  type ModelDelta,
  type ModelTurn,
} from '@writ/agent-loop';
import type { ModelView } from './model-view.ts';
import type { ConfiguredModel, Provider } from './models-file.ts';

/** What a provider's adapter is made with. */
export interface ProviderGiven {
  readonly apiKey: string;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly replyTokensMax: number | undefined;
  readonly idleMs: number | undefined;
}
export type Providers = Readonly<Record<Exclude<Provider, 'transcript'>, (given: ProviderGiven) => Model>>;

/** The models that this deployment has, by the names that sessions use. */
export class Models {
  readonly #configured: ReadonlyMap<string, ConfiguredModel>;
  readonly #providers: Providers;

  constructor(configured: readonly ConfiguredModel[], providers: Providers) {
    this.#configured = new Map(configured.map((model) => [model.name, model]));
    this.#providers = providers;
  }

  /** Without keys and addresses. */
  views(): ModelView[] {
    return [...this.#configured.values()].map(({ name, provider, model, prices, currency, context_tokens_max }) => ({
      name,
      provider,
      model,
      prices,
      currency,
      context_tokens_max,
    }));
  }

  /** Null for a name that no model has. */
  read(name: string): ConfiguredModel | null {
    return this.#configured.get(name) ?? null;
  }

  /** @param replies how many replies of a run were kept before: a recorded one goes on after them */
  open(configured: ConfiguredModel, replies: number): Model {
    if (configured.provider === 'transcript')
      return new ToldModel(new TranscriptModel(configured.transcript, replies), '');
    const {
      provider,
      apiKey,
      model,
      base_url: baseUrl,
      reply_tokens_max: replyTokensMax,
      idle_ms: idleMs,
    } = configured;
    return new ToldModel(this.#providers[provider]({ apiKey, model, baseUrl, replyTokensMax, idleMs }), apiKey);
  }
}

/**
 * A model whose errors may be shown: INVARIANT (no key leaves): what a provider says of a request never repeats the key
 * that came with it.
 */
export class ToldModel extends Model {
  readonly name: string;
  readonly #model: Model;
  readonly #apiKey: string;

  constructor(model: Model, apiKey: string) {
    super();
    this.name = model.name;
    this.#model = model;
    this.#apiKey = apiKey;
  }

  override async *reply(conversation: Conversation, signal: AbortSignal): AsyncGenerator<ModelDelta, ModelTurn, void> {
    try {
      return yield* this.#model.reply(conversation, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw this.#told(error);
    }
  }

  #told(error: unknown): ModelError {
    if (!(error instanceof ModelError))
      return new ModelError('invalid', error instanceof Error ? this.#without(error.message) : 'the model failed');
    // Providers quote a key that they don't take, in part too.
    const message = error.fault === 'unauthorized' ? MODEL_FAULTS.unauthorized.why : this.#without(error.message);
    return new ModelError(error.fault, message, { retryAfterMs: error.retryAfterMs });
  }

  #without(text: string): string {
    return this.#apiKey === '' ? text : text.replaceAll(this.#apiKey, '[key]');
  }
}
