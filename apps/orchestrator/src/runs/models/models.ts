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

/** The options of a provider's adapter. */
export interface ModelAdapterOptions {
  readonly apiKey: string;
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly replyTokensMax: number | undefined;
  readonly idleMs: number | undefined;
}
export type Providers = Readonly<Record<Exclude<Provider, 'transcript'>, (options: ModelAdapterOptions) => Model>>;

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

  /** @param replies how many replies of the run are stored already; a recorded model continues after them */
  open(configured: ConfiguredModel, replies: number): Model {
    if (configured.provider === 'transcript')
      return new RedactingModel(new TranscriptModel(configured.transcript, replies), '');
    const {
      provider,
      apiKey,
      model,
      base_url: baseUrl,
      reply_tokens_max: replyTokensMax,
      idle_ms: idleMs,
    } = configured;
    return new RedactingModel(this.#providers[provider]({ apiKey, model, baseUrl, replyTokensMax, idleMs }), apiKey);
  }
}

/**
 * A model whose errors may be shown. INVARIANT (no key leaves): no error message of a provider contains the API key of
 * the request.
 */
export class RedactingModel extends Model {
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
      throw this.#redacted(error);
    }
  }

  #redacted(error: unknown): ModelError {
    if (!(error instanceof ModelError))
      return new ModelError('invalid', error instanceof Error ? this.#withoutKey(error.message) : 'the model failed');
    // Providers quote a rejected key, sometimes only a part of it.
    const message = error.fault === 'unauthorized' ? MODEL_FAULTS.unauthorized.why : this.#withoutKey(error.message);
    return new ModelError(error.fault, message, { retryAfterMs: error.retryAfterMs });
  }

  #withoutKey(text: string): string {
    return this.#apiKey === '' ? text : text.replaceAll(this.#apiKey, '[key]');
  }
}
