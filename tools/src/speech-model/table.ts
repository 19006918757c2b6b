// SPDX-License-Identifier: Apache-2.0
import { MODEL_FILES } from '@writ/transcription-local';
import type { ModelPackage } from '../models/ensure-model.ts';

const MOONSHINE = 'moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/models/base-en';

/** Both under the MIT licence: see ADR 0120. */
export const MODEL_PACKAGES: readonly ModelPackage[] = [
  {
    name: 'moonshine-cpp',
    version: '0.1.4',
    platform: 'manylinux2014_x86_64',
    sha256: 'f7afc662bdd3ef98815ee3b940438b456e77d5a77cea5396ed9c572785412ebd',
    files: {
      [`${MOONSHINE}/encoder_model.ort`]: MODEL_FILES.encoder,
      [`${MOONSHINE}/decoder_model_merged.ort`]: MODEL_FILES.decoder,
      [`${MOONSHINE}/tokenizer.bin`]: MODEL_FILES.tokens,
    },
  },
  {
    name: 'silero-vad',
    version: '6.2.3',
    sha256: '7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8',
    files: { 'silero_vad/data/silero_vad_16k_op15.onnx': MODEL_FILES.voice },
  },
];
