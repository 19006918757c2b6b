// SPDX-License-Identifier: Apache-2.0
export { audioSql, type KeptRow } from './functions.ts';
export { pgAudioIngest } from './pg-audio-ingest.ts';
