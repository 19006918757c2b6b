// SPDX-License-Identifier: Apache-2.0
import { EmbeddingError } from '@writ/embedding';
import { EngineProcess, type EngineProcessOptions } from '@writ/engine-process';
import { parseReply, parseVectors, type EngineRequest } from './engine-messages.ts';
import { LOCAL_MODEL } from './model-files.ts';

export type ModelProcessOptions = Pick<EngineProcessOptions, 'modelDir' | 'program' | 'memoryBytesMax' | 'shell'>;

/** The tokenizer's table takes some thirty MiB. */
const HEAP_MB_MAX = 192;
/** Several times the vectors of one slice. */
const REPLY_BYTES_MAX = 1024 * 1024;

/** One process with the model in memory. It works on one request at a time. */
export class ModelProcess {
  readonly #process: EngineProcess;

  private constructor(options: ModelProcessOptions) {
    this.#process = new EngineProcess({
      ...options,
      heapMbMax: HEAP_MB_MAX,
      replyBytesMax: REPLY_BYTES_MAX,
      hasNativeCode: true,
    });
  }

  /** Starts a process, and resolves once its model is loaded. @throws EmbeddingError; the reason of the signal */
  static async start(options: ModelProcessOptions, signal: AbortSignal): Promise<ModelProcess> {
    const model = new ModelProcess(options);
    await model.#receive('ready', signal);
    return model;
  }

  get hasEnded(): boolean {
    return this.#process.hasEnded;
  }

  /**
   * Embeds the texts. The signal ends the process, whose work can't be stopped otherwise.
   * @throws EmbeddingError; the reason of the signal
   */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    this.#process.rest(false);
    this.#process.send({ texts } satisfies EngineRequest);
    return parseVectors(await this.#receive('vectors', signal), texts.length, LOCAL_MODEL.dimensions);
  }

  kill(): void {
    this.#process.kill('it was ended');
  }

  async #receive(type: 'ready' | 'vectors', signal: AbortSignal): Promise<Uint8Array> {
    const onAbort = (): void => this.kill();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return parseReply(await this.#process.receive(), type);
    } catch (cause) {
      // After an error nobody knows which reply comes next.
      this.kill();
      signal.throwIfAborted();
      if (cause instanceof EmbeddingError) throw cause;
      throw new EmbeddingError('unavailable', 'the process of the model ended', { cause });
    } finally {
      signal.removeEventListener('abort', onAbort);
      // Between two requests it doesn't keep our process alive.
      this.#process.rest(true);
    }
  }
}
