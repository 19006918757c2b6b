// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { containerOf, durationMsOf, wavOf } from '@writ/audio';
import { Fault } from '@writ/contract';
import {
  chooseModel,
  primaryLanguageOf,
  Transcriber,
  type Audio,
  type TranscribeOptions,
  type Transcript,
  type TranscriptionModel,
} from '@writ/transcription';
import { encodeMultipart } from './multipart.ts';
import { transcriptOf } from './verbose-json.ts';

export interface HttpRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** a longer reply is an error before it is kept */
  readonly replyBytesMax: number;
  /** how long a reply may take, in milliseconds: nothing passes while the service hears. `signal` aborts then */
  readonly replyMs: number;
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends a request. Whoever makes the transcriber gives it: that decides which hosts are allowed. It MUST NOT follow a
 * redirect to another host with the headers, and rejects if no reply comes, or one that is too long.
 */
export type SendRequest = (request: HttpRequest) => Promise<HttpReply>;

export interface OpenAiTranscriberOptions {
  /** without the path of the API, for example `https://api.example.org/v1` */
  readonly baseUrl: string;
  readonly models: readonly TranscriptionModel[];
  readonly send: SendRequest;
  /** no header of authorization without it */
  readonly apiKey?: string | undefined;
  /** time for a reply; 5 minutes by default */
  readonly replyMs?: number | undefined;
  /** longer files are refused before they are sent; 25 MB by default, which is the limit of OpenAI */
  readonly fileBytesMax?: number | undefined;
  /** reads a reply, such as on another thread; `transcriptOf` unless given */
  readonly readReply?: ReadReply | undefined;
}

/**
 * Reads the body of a reply. `durationMs`: of the audio, where it is known.
 * @throws Fault `transcription.failed`
 */
export type ReadReply = (body: Uint8Array, durationMs: number | null) => Promise<Transcript>;

const REPLY_MS = 300_000;
const FILE_BYTES_MAX = 25_000_000;
/** Some 100,000 words with their times. */
export const REPLY_BYTES_MAX = 16 * 1024 * 1024;

/** What services accept, by the names that `containerOf` gives. Services go by the ending of the name. */
const FILE_TYPES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  WAV: ['audio.wav', 'audio/wav'],
  FLAC: ['audio.flac', 'audio/flac'],
  MP3: ['audio.mp3', 'audio/mpeg'],
  'Ogg (Opus or Vorbis)': ['audio.ogg', 'audio/ogg'],
  'MP4 or M4A (AAC)': ['audio.m4a', 'audio/mp4'],
  'WebM or Matroska': ['audio.webm', 'audio/webm'],
};

/** A service with OpenAI's API of transcription: `POST {base}/audio/transcriptions`. */
export class OpenAiTranscriber extends Transcriber {
  readonly #options: OpenAiTranscriberOptions;

  constructor(options: OpenAiTranscriberOptions) {
    super();
    this.#options = options;
  }

  override models(): readonly TranscriptionModel[] {
    return this.#options.models;
  }

  override async transcribe(audio: Audio, options: TranscribeOptions): Promise<Transcript> {
    options.signal.throwIfAborted();
    const model = chooseModel(this.models(), options);
    const durationMs = audio.kind === 'pcm' ? durationMsOf(audio.samples.length) : null;
    if (durationMs === 0) return { ...NOTHING, language: options.language ?? null };
    const file = fileOf(audio, this.#options.fileBytesMax ?? FILE_BYTES_MAX);
    const form = encodeMultipart(fieldsOf(model, options.language), file, `writ-${randomUUID()}`);
    const { status, body } = await this.#send(form, options.signal);
    if (status !== 200) throw faultOfStatus(status);
    const { readReply } = this.#options;
    const transcript = await (readReply?.(body, durationMs) ?? transcriptOf(body, durationMs));
    return { ...transcript, language: transcript.language ?? options.language ?? null };
  }

  async #send(form: { type: string; body: Uint8Array }, signal: AbortSignal): Promise<HttpReply> {
    const { baseUrl, apiKey, send, replyMs = REPLY_MS } = this.#options;
    const late = AbortSignal.timeout(replyMs);
    try {
      return await send({
        method: 'POST',
        url: `${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`,
        headers: {
          'content-type': form.type,
          accept: 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: form.body,
        replyBytesMax: REPLY_BYTES_MAX,
        replyMs,
        signal: AbortSignal.any([signal, late]),
      });
    } catch (cause) {
      signal.throwIfAborted();
      if (late.aborted) throw new Fault('deadline', `the service did not answer within ${replyMs} ms`, { cause });
      if (cause instanceof Fault) throw cause;
      throw new Fault('transcription.unavailable', 'the service of transcription cannot be reached', { cause });
    }
  }
}

const NOTHING: Transcript = { text: '', language: null, confidence: null, duration_ms: 0, words: [], segments: [] };

function fieldsOf(model: TranscriptionModel, language: string | undefined): [string, string][] {
  return [
    ['model', model.id],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
    ...(model.wordTimes ? [['timestamp_granularities[]', 'word'] as [string, string]] : []),
    ['temperature', '0'],
    // The API takes ISO 639-1: the primary language of the tag.
    ...(language === undefined ? [] : [['language', primaryLanguageOf(language)] as [string, string]]),
  ];
}

function fileOf(audio: Audio, bytesMax: number): { field: string; name: string; type: string; bytes: Uint8Array } {
  const bytes = audio.kind === 'pcm' ? wavOf(audio.samples) : audio.bytes;
  if (bytes.length > bytesMax)
    throw new Fault('audio.too_long', `the audio has ${bytes.length} bytes, and the service takes ${bytesMax}`);
  const container = containerOf(bytes);
  const file = container === null ? undefined : FILE_TYPES[container];
  if (file === undefined)
    throw new Fault(
      'audio.unreadable',
      `the bytes are of no format that the service takes; send one of ${Object.keys(FILE_TYPES).join(', ')}`,
    );
  return { field: 'file', name: file[0], type: file[1], bytes };
}

/** The service's own words stay out of it: they may repeat a part of the key. */
function faultOfStatus(status: number): Fault {
  if (status === 413) return new Fault('audio.too_long', 'the service says that the audio is too long');
  if (status === 429) return new Fault('overloaded', 'the service says that too much is under way; try again later');
  if (status === 400 || status === 415 || status === 422)
    return new Fault('transcription.failed', `the service refused the audio or the model, with status ${status}`);
  if (status === 401 || status === 403)
    return new Fault('transcription.unavailable', `the service refused the key, with status ${status}`);
  return new Fault('transcription.unavailable', `the service answered with status ${status}`);
}
