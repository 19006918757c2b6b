// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AudioIngest } from '@writ/audio';
import type { BlobStore } from '@writ/blobs';
import { LocalTranscriber } from '@writ/transcription-local';
import type { ExecutorConfig } from '../config.env.ts';
import { AudioSources } from './audio-sources.ts';
import { LOCAL_LIMITS } from './transcription-limits.ts';
import { Transcription } from './transcription.ts';

/** The model that the image has, two folders above the bundle of this module. */
const MODEL_OF_IMAGE = fileURLToPath(new URL('../../speech-model', import.meta.url));

/** Transcription of this executor. */
export interface OpenTranscription {
  readonly transcription: Transcription;
  /** ends the processes of the engine with this one */
  readonly speech: { close(): Promise<void> };
}

interface Parts {
  readonly blobs: BlobStore;
  readonly ingest: AudioIngest;
  /** milliseconds since 1970-01-01 UTC */
  readonly epoch: () => number;
  readonly monotonic: () => number;
}

/** Opens it. Its engine starts with the first call. Without a model, only registered services transcribe. */
export function openTranscription(
  { WRIT_SPEECH_MODEL_DIR, WRIT_SPEECH_ENGINES: engines }: ExecutorConfig,
  { blobs, ingest, epoch, monotonic }: Parts,
): OpenTranscription {
  const modelDir = WRIT_SPEECH_MODEL_DIR ?? (existsSync(MODEL_OF_IMAGE) ? MODEL_OF_IMAGE : undefined);
  const local = modelDir === undefined ? null : new LocalTranscriber({ modelDir, engines, ...LOCAL_LIMITS });
  return {
    transcription: new Transcription(
      new AudioSources(blobs, ingest, epoch),
      local === null ? null : { transcriber: local, atOnce: engines },
      monotonic,
    ),
    speech: { close: async () => local?.close() },
  };
}
