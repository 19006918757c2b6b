// SPDX-License-Identifier: Apache-2.0
import { Embedder, TEXTS_MAX, type EmbeddingModel, type EmbedOptions } from './embedder.ts';
import { EmbeddingError } from './embedding-error.ts';
import { vectorsOf, type EmbeddingsAnswer } from './embeddings-answer.ts';

export interface EmbeddingRequest {
  readonly method: 'POST';
  readonly url: string;
  /** JSON. The caller adds the headers, and among them the key: this library sees none. */
  readonly body: string;
  readonly signal?: AbortSignal;
}

export interface EmbeddingResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends a request, such as through the egress gate. It rejects if there is no response. */
export type SendEmbeddingRequest = (request: EmbeddingRequest) => Promise<EmbeddingResponse>;

export interface OpenAiEmbedderOptions extends EmbeddingModel {
  /** the address below which the API lies: `{base}/v1/embeddings` */
  readonly base: string;
  readonly send: SendEmbeddingRequest;
  /** sends `dimensions`, for models that can shorten their vectors; false by default */
  readonly shortens?: boolean;
  /** reads an answer elsewhere than on the calling thread, with the errors of {@link vectorsOf} */
  readonly readVectors?: (answer: EmbeddingsAnswer) => Promise<readonly Float32Array[]>;
  /** texts of a request; 64 by default, since small servers refuse more */
  readonly batch?: number;
}

const BATCH = 64;

/** Embeddings of a service that speaks OpenAI's `POST /v1/embeddings`. Batches are sent one after another. */
export class OpenAiEmbedder extends Embedder {
  override readonly model: string;
  override readonly dimensions: number;
  readonly #options: OpenAiEmbedderOptions;

  constructor(options: OpenAiEmbedderOptions) {
    super();
    this.#options = options;
    this.model = options.model;
    this.dimensions = options.dimensions;
  }

  override async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    if (texts.length > TEXTS_MAX)
      throw new EmbeddingError('too_many', `one call embeds at most ${TEXTS_MAX} texts, and this has ${texts.length}`);
    const vectors: Float32Array[] = [];
    const { batch = BATCH } = this.#options;
    for (let at = 0; at < texts.length; at += batch) {
      signal?.throwIfAborted();
      vectors.push(...(await this.#embedBatch(texts.slice(at, at + batch), signal)));
    }
    return vectors;
  }

  override async close(): Promise<void> {
    // The caller's function holds the connections.
  }

  async #embedBatch(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    const { base, send, shortens = false } = this.#options;
    const body = JSON.stringify({
      model: this.model,
      // The service refuses an empty text, and a space has no meaning either.
      input: texts.map((text) => (text === '' ? ' ' : text)),
      encoding_format: 'float',
      ...(shortens ? { dimensions: this.dimensions } : {}),
    });
    const url = `${base.replace(/\/+$/, '')}/v1/embeddings`;
    let response: EmbeddingResponse;
    try {
      response = await send({ method: 'POST', url, body, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new EmbeddingError('unavailable', 'the service of embeddings could not be reached', { cause });
    }
    const answer = { ...response, count: texts.length, dimensions: this.dimensions };
    return (await this.#options.readVectors?.(answer)) ?? vectorsOf(answer);
  }
}
