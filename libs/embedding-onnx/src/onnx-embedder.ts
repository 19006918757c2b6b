// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (bounded): there is one process with one thread, whose memory has a limit. A tenant's texts wait in a queue
// of bounded length, and tenants take turns.
import { Embedder, EmbeddingError, TEXTS_MAX, type EmbedOptions } from '@writ/embedding';
import { FairTurns } from '@writ/fairness';
import { LOCAL_MODEL } from './model-files.ts';
import { ModelProcess } from './model-process.ts';

export interface OnnxEmbedderOptions {
  /** the folder with the files of `MODEL_FILES` */
  readonly modelDir: string;
  /** the process' program: `engine-program` beside this module by default */
  readonly program?: URL;
  /** limit on the process' memory, in bytes; 1 GiB by default */
  readonly memoryBytesMax?: number;
  /** how long the process is kept without work, in milliseconds */
  readonly idleMs?: number;
  /** limit on one slice of texts, in milliseconds */
  readonly sliceMs?: number;
  /** the shell that limits the process, for tests */
  readonly shell?: string;
}

/** With the model it needs 300 MB; a text of 256 tokens adds some ten. */
const MEMORY_BYTES = 1024 ** 3;
/** A start takes half a second, and the next search of a session comes within a minute. */
const IDLE_MS = 120_000;
/** Texts of one turn: half a second on a free processor. */
const TEXTS_PER_TURN = 8;
/** For a machine that is busy with other work. */
const SLICE_MS = 60_000;
/** Calls of one tenant that wait. */
const WAITING_MAX = 64;
const NO_TENANT = '';

/** Embeddings by a small model on this machine. The process starts with the first call. */
export class OnnxEmbedder extends Embedder {
  override readonly model = LOCAL_MODEL.model;
  override readonly dimensions = LOCAL_MODEL.dimensions;
  readonly #options: OnnxEmbedderOptions;
  readonly #turns = new FairTurns(
    {
      atOnce: 1,
      waitingMax: WAITING_MAX,
      refusal: () => new EmbeddingError('unavailable', `${WAITING_MAX} calls of the tenant wait for the model already`),
    },
    () => performance.now(),
  );
  #engine: ModelProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: OnnxEmbedderOptions) {
    super();
    this.#options = options;
  }

  override async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<Float32Array[]> {
    const { signal, tenantId = NO_TENANT } = options;
    signal?.throwIfAborted();
    if (texts.length > TEXTS_MAX)
      throw new EmbeddingError('too_many', `one call embeds at most ${TEXTS_MAX} texts, and this has ${texts.length}`);
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += TEXTS_PER_TURN) {
      const slice = texts.slice(at, at + TEXTS_PER_TURN);
      vectors.push(...(await this.#turns.run(tenantId, () => this.#embedSlice(slice, signal), signal)));
    }
    return vectors;
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
  }

  async #embedSlice(texts: readonly string[], caller?: AbortSignal): Promise<readonly Float32Array[]> {
    clearTimeout(this.#idle);
    if (this.#isClosed) throw new EmbeddingError('unavailable', 'the embedder is closed');
    const limit = AbortSignal.timeout(this.#options.sliceMs ?? SLICE_MS);
    const signal = caller === undefined ? limit : AbortSignal.any([caller, limit]);
    try {
      if (this.#engine?.hasEnded !== false) this.#engine = await this.#start(signal);
      return await this.#engine.embed(texts, signal);
    } catch (cause) {
      caller?.throwIfAborted();
      if (limit.aborted) throw new EmbeddingError('unavailable', 'the model took too long', { cause });
      throw cause;
    } finally {
      this.#idle = setTimeout(() => this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  #start(signal: AbortSignal): Promise<ModelProcess> {
    const { modelDir, program = engineProgram(), memoryBytesMax = MEMORY_BYTES, shell } = this.#options;
    return ModelProcess.start({ modelDir, program, memoryBytesMax, shell }, signal);
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#engine?.kill();
    this.#engine = null;
  }
}

const engineProgram = (): URL =>
  new URL(`./engine-program.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
