// SPDX-License-Identifier: Apache-2.0
export { audioSql } from './functions.ts';
export { pgAudioIngest } from './pg-audio-ingest.ts';
