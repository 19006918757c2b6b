// SPDX-License-Identifier: Apache-2.0
export { hasModel, HOW_TO_GET_THE_MODEL, LOCAL_MODEL, MODEL_FILES, modelDirIn, type ModelFile } from './model-files.ts';
export { OnnxEmbedder, type OnnxEmbedderOptions } from './onnx-embedder.ts';
