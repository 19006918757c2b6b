// SPDX-License-Identifier: Apache-2.0
import { parseTranscript } from './parse-transcript.ts';
import type { Transcript } from './transcript.ts';

const word = (text: string, start_ms: number, end_ms: number) => ({ text, start_ms, end_ms, confidence: 0.5 });
const VALID: Transcript = {
  text: 'one two',
  language: 'en',
  confidence: 0.5,
  duration_ms: 1_000,
  words: [word('one', 0, 400), word('two', 400, 1_000)],
  segments: [word('one two', 0, 1_000)],
};

describe('an answer of an engine', () => {
  it('that is a transcript is returned unchanged', () => {
    expect(parseTranscript(VALID)).toEqual(VALID);
  });

  it.each<[string, unknown]>([
    ['is no object', 'text'],
    ['lacks a member', { ...VALID, words: undefined }],
    ['has a member too many', { ...VALID, secret: 1 }],
    ['has words that overlap', { ...VALID, words: [word('one', 0, 500), word('two', 400, 1_000)] }],
    ['has a word that ends before it begins', { ...VALID, words: [word('one', 300, 200)] }],
    ['has a word after the end of the audio', { ...VALID, words: [word('one', 0, 1_002)] }],
    ['has a segment after the end of the audio', { ...VALID, segments: [word('one', 0, 2_000)] }],
    ['has a confidence above 1', { ...VALID, confidence: 2 }],
  ])('that %s is refused', (_, value) => {
    expect(() => parseTranscript(value)).toThrow(expect.objectContaining({ code: 'transcription.failed' }) as Error);
  });
});
