// SPDX-License-Identifier: Apache-2.0
import { durationMsOf } from '@writ/audio';
import { Fault } from '@writ/contract';
import { EngineProcess } from '@writ/engine-process';
import {
  chooseModel,
  parseTranscript,
  Transcriber,
  type Audio,
  type TranscribeOptions,
  type Transcript,
  type TranscriptionModel,
} from '@writ/transcription';
import { parseReply } from './engine-reply.ts';
import type { EngineRequest } from './engine/message.ts';
import { LOCAL_MODEL } from './model-files.ts';

export interface LocalTranscriberOptions {
  /** the folder of the model's files: see `MODEL_FILES` */
  readonly modelDir: string;
  /** longer audio is refused; 15 minutes by default */
  readonly durationMsMax?: number;
  /** longer files are refused before an engine reads them; 64 MiB by default */
  readonly fileBytesMax?: number;
  /** memory of one engine; 2 GiB by default */
  readonly memoryBytesMax?: number;
  /**
   * Engines, and calls at the same time; 1 by default. Each takes a processor and 700 MB. No call waits here: the
   * caller knows whose turn it is, and one more call is `overloaded`.
   */
  readonly engines?: number;
  /** time for an engine to start, and for it to read a file; 30 s by default */
  readonly startMs?: number;
  /** time for each millisecond of audio, beyond `startMs`; 12 by default: ten times of what it takes alone */
  readonly msPerMs?: number;
  /** an engine without a call ends after that time; 0: each call gets a new one. 60 s by default */
  readonly idleMs?: number;
  /** the program of the engine, and the shell that limits it, for tests of this class */
  readonly program?: URL;
  readonly shell?: string;
}

const DEFAULTS = {
  durationMsMax: 15 * 60_000,
  fileBytesMax: 64 * 1024 * 1024,
  memoryBytesMax: 2 * 1024 ** 3,
  engines: 1,
  startMs: 30_000,
  msPerMs: 12,
  idleMs: 60_000,
} as const;

/** Beside this module, also where both are bundles. */
const PROGRAM = new URL(`./hearing-program.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
/** The model itself lies outside of V8's heap. */
const HEAP_MB_MAX = 512;
/** A transcript's JSON is at most that long: 50,000 words of some 90 bytes, and more. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024;

interface Idle {
  readonly engine: EngineProcess;
  readonly timer: NodeJS.Timeout;
}

/**
 * The engine without a key and without a network. It runs in a process of its own, because audio is
 * attacker-controlled: without our environment, with limits of memory and time, and ended with the call that it fails.
 */
export class LocalTranscriber extends Transcriber {
  readonly #options: Required<Omit<LocalTranscriberOptions, 'program' | 'shell'>> &
    Pick<LocalTranscriberOptions, 'program' | 'shell'>;
  readonly #idle: Idle[] = [];
  readonly #busy = new Set<EngineProcess>();
  #isClosed = false;

  constructor(options: LocalTranscriberOptions) {
    super();
    this.#options = { ...DEFAULTS, ...options };
  }

  override models(): readonly TranscriptionModel[] {
    return [LOCAL_MODEL];
  }

  override async transcribe(audio: Audio, options: TranscribeOptions): Promise<Transcript> {
    options.signal.throwIfAborted();
    chooseModel(this.models(), options);
    this.#verifySize(audio);
    const { engines } = this.#options;
    if (this.#busy.size >= engines)
      throw new Fault('overloaded', `${engines} transcriptions are under way already; try again later`);
    return await this.#hear(audio, options.signal);
  }

  /** Ends the engines. Calls under way fail, and so do later ones. */
  close(): void {
    this.#isClosed = true;
    for (const engine of this.#busy) engine.kill('the transcriber was closed');
    for (const { engine, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      engine.kill('the transcriber was closed');
    }
  }

  #verifySize(audio: Audio): void {
    const { durationMsMax, fileBytesMax } = this.#options;
    if (audio.kind === 'file' && audio.bytes.length > fileBytesMax)
      throw new Fault(
        'audio.too_long',
        `the file has ${audio.bytes.length} bytes, and at most ${fileBytesMax} are read`,
      );
    if (audio.kind === 'pcm' && durationMsOf(audio.samples.length) > durationMsMax)
      throw new Fault('audio.too_long', `the audio is longer than ${durationMsMax / 1000} s`);
  }

  async #hear(audio: Audio, signal: AbortSignal): Promise<Transcript> {
    if (this.#isClosed) throw new Fault('transcription.unavailable', 'the transcriber was closed');
    const { startMs, msPerMs, durationMsMax } = this.#options;
    const watch = new Watch(signal);
    const engine = this.#idleEngine() ?? this.#start();
    this.#busy.add(engine);
    watch.onEnd((why) => engine.kill(why));
    try {
      if (!engine.isReady) await watch.within(startMs, () => this.#ready(engine));
      const request: EngineRequest = { kind: audio.kind, duration_ms_max: durationMsMax };
      engine.send(request, audio.kind === 'file' ? audio.bytes : bytesOf(audio.samples));
      const begun = await watch.within(startMs, async () => parseReply((await engine.receive()).text, 'begun'));
      const answerMs = startMs + msPerMs * Math.min(begun.duration_ms, durationMsMax);
      const answer = await watch.within(answerMs, async () => parseReply((await engine.receive()).text, 'answer'));
      const transcript = parseTranscript(answer.transcript);
      this.#keep(engine);
      return transcript;
    } catch (error) {
      throw this.#faultOf(error, engine, signal);
    } finally {
      this.#busy.delete(engine);
      watch.stop();
    }
  }

  #start(): EngineProcess {
    const { modelDir, memoryBytesMax, program = PROGRAM, shell } = this.#options;
    return new EngineProcess({
      modelDir,
      memoryBytesMax,
      program,
      shell,
      heapMbMax: HEAP_MB_MAX,
      replyBytesMax: REPLY_BYTES_MAX,
    });
  }

  async #ready(engine: EngineProcess): Promise<void> {
    try {
      parseReply((await engine.receive()).text, 'ready');
      engine.isReady = true;
    } catch (cause) {
      if (cause instanceof Fault && cause.code === 'transcription.unavailable') throw cause;
      throw new Fault('transcription.unavailable', 'the engine of transcription does not start', { cause });
    }
  }

  /** Audio that cannot be read is no reason to doubt the engine. Whatever else went wrong, it is ended. */
  #faultOf(error: unknown, engine: EngineProcess, signal: AbortSignal): unknown {
    const isOfAudio = error instanceof Fault && (error.code === 'audio.unreadable' || error.code === 'audio.too_long');
    if (isOfAudio && !engine.hasEnded) {
      this.#keep(engine);
      return error;
    }
    engine.kill('the call failed');
    if (signal.aborted) return signal.reason;
    if (error instanceof Fault) return error;
    return new Fault('transcription.failed', 'the engine ended while it heard the audio', { cause: error });
  }

  #idleEngine(): EngineProcess | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.engine.hasEnded) continue;
      idle.engine.rest(false);
      return idle.engine;
    }
    return undefined;
  }

  #keep(engine: EngineProcess): void {
    if (this.#isClosed || this.#options.idleMs === 0) {
      engine.kill('it has nothing to do');
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.engine === engine),
        1,
      );
      engine.kill('it had nothing to do');
    }, this.#options.idleMs).unref();
    engine.rest(true);
    this.#idle.push({ engine, timer });
  }
}

const bytesOf = (samples: Float32Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** Ends a call that takes too long, or that nobody wants any more. */
class Watch {
  readonly #signal: AbortSignal;
  #end: (why: string) => void = () => undefined;
  readonly #onAbort = (): void => this.#end('the call was cancelled');

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onEnd(end: (why: string) => void): void {
    this.#end = end;
    if (this.#signal.aborted) this.#onAbort();
  }

  /** @throws Fault `deadline` if the work takes longer */
  async within<T>(ms: number, work: () => Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#end(`it took longer than ${ms} ms`);
    }, ms);
    try {
      return await work();
    } catch (cause) {
      throw isLate ? new Fault('deadline', `the engine took longer than ${Math.round(ms)} ms`, { cause }) : cause;
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
