// SPDX-License-Identifier: Apache-2.0
import type { Gap } from '@writ/audio';
import { Fault, type BoundResource, type ModelSettings } from '@writ/contract';
import { FairTurns } from '@writ/fairness';
import { primaryLanguageOf, type TranscribeOptions, type Transcriber, type Transcript } from '@writ/transcription';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import type { AudioSources, HeardAudio } from './audio-sources.ts';
import { serviceTranscriber } from './transcription-service.ts';

/** Calls of one tenant that wait for their turn: each of them holds a slot of the executor. */
const WAITING_MAX = 2;
/** Audio that is sent to services at once: each is held in memory twice. */
const SERVICES_AT_ONCE = 4;

/** The model that runs beside this executor. */
export interface LocalModel {
  readonly transcriber: Transcriber;
  /** how many calls it hears at once */
  readonly atOnce: number;
}

interface TranscribeArgs {
  readonly language?: string;
}

type Running = Pick<RunContext, 'signal' | 'work'>;

/**
 * Runs `audio.transcribe`. Audio is attacker-controlled, and only engines read it: a process of its own, or a service.
 * Tenants take turns at both, so that none waits for another's recordings longer than for its share.
 */
export class Transcription {
  readonly #sources: AudioSources;
  readonly #local: LocalModel | null;
  readonly #localTurns: FairTurns;
  readonly #serviceTurns: FairTurns;

  /**
   * @param local null where this executor has no model
   * @param now a monotonic clock, in milliseconds
   */
  constructor(sources: AudioSources, local: LocalModel | null, now: () => number) {
    this.#sources = sources;
    this.#local = local;
    const turns = (atOnce: number) => new FairTurns({ atOnce, waitingMax: WAITING_MAX, refusal: tooMany }, now);
    this.#localTurns = turns(local?.atOnce ?? 1);
    this.#serviceTurns = turns(SERVICES_AT_ONCE);
  }

  /** @throws Fault, GateRefusal */
  async run(call: Call, gate: CallGate, { signal, work }: Running): Promise<unknown> {
    const { language } = call.args as TranscribeArgs;
    if (language !== undefined) primaryLanguageOf(language);
    const engine = this.#engineOf(call, gate, work);
    const recorded = await this.#sources.find(call, signal);
    return await engine.turns.run(
      call.tenantId,
      async () => {
        const heard = await recorded.read();
        const transcript =
          heard.bytes === null
            ? SILENCE
            : await hear(engine.transcriber, heard.bytes, { model: engine.model, language, signal });
        return resultOf(transcript, heard, { model: engine.model, bytesMax: call.limits.output_bytes });
      },
      signal,
    );
  }

  #engineOf(
    call: Call,
    gate: CallGate,
    work: Running['work'],
  ): { transcriber: Transcriber; turns: FairTurns; model: string } {
    const provider = modelOf(call.resources)?.provider;
    if (provider?.kind === 'openai')
      return {
        transcriber: serviceTranscriber(call, provider, gate, work),
        turns: this.#serviceTurns,
        model: provider.model,
      };
    if (this.#local === null)
      throw new GateRefusal(
        'tool.not_available',
        'this installation has no model that transcribes',
        'have an operator run `npm run speech-model` and set WRIT_SPEECH_MODEL_DIR, or name a registered `model`',
      );
    const { transcriber } = this.#local;
    return { transcriber, turns: this.#localTurns, model: provider?.model ?? transcriber.models()[0]?.id ?? '' };
  }
}

/** @throws GateRefusal where the gate kept a request in */
async function hear(transcriber: Transcriber, bytes: Uint8Array, options: TranscribeOptions): Promise<Transcript> {
  try {
    return await transcriber.transcribe({ kind: 'file', bytes }, options);
  } catch (error) {
    throw error instanceof Fault && error.cause instanceof GateRefusal ? error.cause : error;
  }
}

const modelOf = (resources: readonly BoundResource[]): ModelSettings | undefined =>
  resources.find(({ kind }) => kind === 'model')?.settings as ModelSettings | undefined;

const tooMany = (): Fault =>
  new Fault('overloaded', `${WAITING_MAX} transcriptions of this tenant wait already; try again later`);

const SILENCE: Transcript = { text: '', language: null, confidence: null, duration_ms: 0, words: [], segments: [] };

interface ResultOptions {
  readonly model: string;
  readonly bytesMax: number;
}

/**
 * The result of a call. The text is never cut: words give way where all would be too long.
 * @throws Fault `transcription.failed` for a text that is too long by itself
 */
function resultOf(transcript: Transcript, heard: HeardAudio, { model, bytesMax }: ResultOptions): unknown {
  const { words, ...rest } = transcript;
  const { sha256, range, gaps, nextSeq } = heard;
  const result = {
    ...rest,
    words,
    words_omitted: false,
    model,
    gaps: gaps.map((gap) => relative(gap, range?.fromMs ?? 0)),
    audio: {
      sha256,
      from: range === null ? null : new Date(range.fromMs).toISOString(),
      to: range === null ? null : new Date(range.toMs).toISOString(),
      next_seq: nextSeq,
    },
  };
  const isLong = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) > bytesMax;
  if (!isLong(result)) return result;
  const short = { ...result, words: [], words_omitted: true };
  if (isLong(short)) throw new Fault('transcription.failed', `the transcript has more than ${bytesMax} bytes`);
  return short;
}

const relative = ({ fromMs, toMs, reason }: Gap, startMs: number) => ({
  start_ms: fromMs - startMs,
  end_ms: toMs - startMs,
  reason,
});
