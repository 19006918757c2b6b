// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EmbeddingError } from '@writ/embedding';
import type { EngineReply, EngineRequest } from './engine-messages.ts';

export interface EngineProcessOptions {
  readonly modelDir: string;
  readonly program: URL;
  /** limit on the process' own memory, RLIMIT_DATA, in bytes */
  readonly memoryBytesMax: number;
}

/** Limits come before the program. No core file may hold anybody's text, and this process writes no file. */
const LIMITS = 'ulimit -c 0 && ulimit -f 0 && ulimit -d "$1" || exit 125; shift; unset PWD; exec "$@"';
/** V8's heap, in MiB: the tokenizer's table takes some thirty. */
const HEAP_MB = 192;
const KIB = 1024;

/** One process with the model in memory. It works on one request at a time. */
export class EngineProcess {
  readonly #child: ChildProcess;
  #settle: { resolve: (reply: EngineReply) => void; reject: (error: Error) => void } | null = null;
  #failure: EmbeddingError | null = null;

  private constructor({ modelDir, program, memoryBytesMax }: EngineProcessOptions) {
    const path = fileURLToPath(program);
    const flags = [
      `--max-old-space-size=${HEAP_MB}`,
      ...(path.endsWith('.ts') ? ['--conditions=@writ/source', '--no-warnings'] : []),
    ];
    const limit = String(Math.floor(memoryBytesMax / KIB));
    this.#child = spawn('/bin/sh', ['-c', LIMITS, 'sh', limit, process.execPath, ...flags, path, modelDir], {
      // No variable of ours: keys and addresses are in them.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('message', (reply: EngineReply) => this.#receive(reply));
    this.#child.once('error', (cause) => this.#fail(ended(cause)));
    this.#child.once('exit', (code, signal) => this.#fail(ended(new Error(`it ended with ${signal ?? String(code)}`))));
  }

  /** Starts a process, and resolves once its model is loaded. @throws EmbeddingError; the reason of the signal */
  static async start(options: EngineProcessOptions, signal: AbortSignal): Promise<EngineProcess> {
    const engine = new EngineProcess(options);
    await engine.#reply(signal);
    return engine;
  }

  get hasEnded(): boolean {
    return this.#failure !== null;
  }

  /**
   * Embeds the texts. The signal ends the process, whose work can't be stopped otherwise.
   * @throws EmbeddingError; the reason of the signal
   */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#failure !== null) throw this.#failure;
    this.#child.ref();
    this.#child.channel?.ref();
    this.#child.send({ texts } satisfies EngineRequest);
    const reply = await this.#reply(signal);
    if (reply.type === 'vectors' && reply.vectors.length === texts.length) return reply.vectors;
    throw new EmbeddingError('malformed', 'the process of the model answered something else than vectors');
  }

  kill(): void {
    this.#fail(ended(new Error('it was ended')));
    this.#child.kill('SIGKILL');
  }

  async #reply(signal: AbortSignal): Promise<EngineReply> {
    const onAbort = (): void => {
      this.#settle?.reject(signal.reason as Error);
      this.kill();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<EngineReply>((resolve, reject) => {
        this.#settle = { resolve, reject };
        if (this.#failure !== null) reject(this.#failure);
        else if (signal.aborted) onAbort();
      });
    } finally {
      this.#settle = null;
      signal.removeEventListener('abort', onAbort);
      // Between two requests it doesn't keep our process alive.
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }

  #receive(reply: EngineReply): void {
    if (reply.type === 'failed') this.#fail(new EmbeddingError(reply.reason, reply.message));
    else this.#settle?.resolve(reply);
  }

  #fail(error: EmbeddingError): void {
    this.#failure ??= error;
    this.#settle?.reject(this.#failure);
  }
}

const ended = (cause: Error): EmbeddingError =>
  new EmbeddingError('unavailable', `the process of the model is gone: ${cause.message}`, { cause });
