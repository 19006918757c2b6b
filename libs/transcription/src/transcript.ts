// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const ms = (description: string) => Type.Number({ minimum: 0, description: `milliseconds: ${description}` });
const Confidence = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
  description: "the model's own probability of the text, 0 to 1, which is not calibrated; null if it gives none",
});
const times = { start_ms: ms('the start in the audio'), end_ms: ms('the end in the audio') };

/** Words of one transcript: some four hours of fast speech. */
export const WORDS_MAX = 50_000;
const TEXT_MAX = 1_000_000;

export const TranscriptWord = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 200 }), ...times, confidence: Confidence },
  closed,
);
export type TranscriptWord = Static<typeof TranscriptWord>;

export const TranscriptSegment = Type.Object(
  { text: Type.String({ maxLength: TEXT_MAX }), ...times, confidence: Confidence },
  closed,
);
export type TranscriptSegment = Static<typeof TranscriptSegment>;

/** What somebody said in an audio. An audio without speech has an empty text and neither words nor segments. */
export const Transcript = Type.Object(
  {
    text: Type.String({ maxLength: TEXT_MAX }),
    language: Type.Union([Type.String({ maxLength: 35 }), Type.Null()], {
      description: 'a language tag of BCP 47; null if the engine told none',
    }),
    confidence: Confidence,
    duration_ms: ms('the length of the audio'),
    words: Type.Array(TranscriptWord, { maxItems: WORDS_MAX }),
    segments: Type.Array(TranscriptSegment, { maxItems: WORDS_MAX }),
  },
  closed,
);
export type Transcript = Static<typeof Transcript>;
