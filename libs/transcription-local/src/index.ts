// SPDX-License-Identifier: Apache-2.0
export { LocalTranscriber, type LocalTranscriberOptions } from './local-transcriber.ts';
export { LOCAL_MODEL, MODEL_FILES, type ModelFile } from './model-files.ts';
