// SPDX-License-Identifier: Apache-2.0
export { FakeTranscriber } from './fake-transcriber.ts';
export { parseTranscript } from './parse-transcript.ts';
export {
  chooseModel,
  primaryLanguageOf,
  Transcriber,
  type Audio,
  type TranscribeOptions,
  type TranscriptionModel,
} from './transcriber.ts';
export { Transcript, TranscriptSegment, TranscriptWord, WORDS_MAX } from './transcript.ts';
