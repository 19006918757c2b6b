// SPDX-License-Identifier: Apache-2.0
import type { TranscriptionModel } from '@writ/transcription';

/** A file of a model, in the folder of models. The engine loads no other bytes under that name. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What the engine hears with: see ADR 0120 for the choice. */
export const LOCAL_MODEL = {
  id: 'moonshine-base-en',
  languages: ['en'],
  wordTimes: true,
} as const satisfies TranscriptionModel;

export const MODEL_FILES = {
  encoder: {
    name: 'encoder_model.ort',
    bytes: 20_661_976,
    sha256: '9d1a19e044cbf89a207723d1adb667de89a5671a1e3e611b8ebe721b2c31219c',
  },
  decoder: {
    name: 'decoder_model_merged.ort',
    bytes: 42_703_232,
    sha256: '370e0c1f161d68dc1c2264c1a82024fb123380da3b73f47f05531d1e8d3308c3',
  },
  tokens: {
    name: 'tokenizer.bin',
    bytes: 241_639,
    sha256: '04670d78994d030185c3dd843c60591788fed0a56cc6750747bd326825f13ca9',
  },
  voice: {
    name: 'silero_vad_16k_op15.onnx',
    bytes: 1_289_603,
    sha256: '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49',
  },
} as const satisfies Readonly<Record<string, ModelFile>>;

/** Completes "the model … is missing". */
export const HOW_TO_GET_THE_MODEL = 'run `npm run speech-model` where the engine runs';
