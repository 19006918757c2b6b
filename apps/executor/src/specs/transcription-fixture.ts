// SPDX-License-Identifier: Apache-2.0
import { MemoryAudioIngest, type AudioIngest } from '@writ/audio';
import type { BlobStore } from '@writ/blobs';
import { AudioSources } from '../runners/audio-sources.ts';
import { Transcription, type LocalModel } from '../runners/transcription.ts';

const monotonic = (): number => performance.now();

/** Transcription of an executor: without a model of its own unless given. */
export const transcriptionOn = (
  blobs: BlobStore,
  { local = null, ingest = new MemoryAudioIngest() }: { local?: LocalModel | null; ingest?: AudioIngest } = {},
): Transcription => new Transcription(new AudioSources(blobs, ingest, Date.now), local, monotonic);
