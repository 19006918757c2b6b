// SPDX-License-Identifier: Apache-2.0
import { Fault, parseFromPeer } from '@writ/contract';
import { parseJson } from '@writ/digest';
import { parseTranscript, WORDS_MAX, type Transcript } from '@writ/transcription';
import { Type, type Static } from 'typebox';
import { languageTagOf } from './language-tag.ts';

const optional = <T extends import('typebox').TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const times = { start: Type.Number(), end: Type.Number() };

/** What `response_format=verbose_json` gives. Servers of other makers leave parts out. Times are in seconds. */
const VerboseJson = Type.Object({
  text: Type.String(),
  language: optional(Type.String()),
  duration: optional(Type.Number({ minimum: 0 })),
  words: optional(Type.Array(Type.Object({ word: Type.String(), ...times }))),
  segments: optional(
    Type.Array(
      Type.Object({
        text: Type.String(),
        ...times,
        avg_logprob: optional(Type.Number()),
        no_speech_prob: optional(Type.Number()),
      }),
    ),
  ),
});
type VerboseJson = Static<typeof VerboseJson>;
type Segment = NonNullable<NonNullable<VerboseJson['segments']>[number]>;

/** Whisper's own thresholds of silence: where both hold, it invented the text. */
const NO_SPEECH = 0.6;
const LOG_PROBABILITY = -1;

/**
 * Reads the reply of a server.
 *
 * @param durationMs of the audio, where it is known; else the reply's
 * @throws Fault `transcription.failed` for what is no transcript
 */
export function transcriptOf(body: Uint8Array, durationMs: number | null): Transcript {
  const reply = parsed(body);
  const told = typeof reply.duration === 'number' ? reply.duration * 1000 : lastEndOf(reply);
  const length = durationMs ?? told;
  const [invented, kept] = separated(reply.segments ?? []);
  const segments = ordered(kept, length).map(({ item, ...at }) => ({
    text: item.text.trim(),
    ...at,
    confidence: confidenceOf(item),
  }));
  const words = ordered(outside(reply.words ?? [], invented), length)
    .map(({ item, ...at }) => ({ text: item.word.trim(), ...at, confidence: null }))
    .filter(({ text }) => text !== '');
  return parseTranscript({
    text: invented.length > 0 ? segments.map(({ text }) => text).join(' ') : reply.text.trim(),
    language: languageTagOf(reply.language ?? null),
    confidence: overallOf(segments),
    duration_ms: length,
    words,
    segments,
  });
}

function parsed(body: Uint8Array): VerboseJson {
  try {
    const reply = parseJson(Buffer.from(body).toString('utf8'));
    verifyCounts(reply);
    return parseFromPeer(VerboseJson, reply);
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'transcription.failed') throw cause;
    throw new Fault('transcription.failed', 'the service answered what is no transcript', { cause });
  }
}

/** Before any member of the lists is looked at. @throws Fault `transcription.failed` */
function verifyCounts(reply: unknown): void {
  for (const name of ['words', 'segments'] as const) {
    const list = (reply as Readonly<Record<string, unknown>> | null)?.[name];
    if (Array.isArray(list) && list.length > WORDS_MAX)
      throw new Fault('transcription.failed', `the service answered more than ${WORDS_MAX} ${name}`);
  }
}

function lastEndOf({ words, segments }: VerboseJson): number {
  let last = 0;
  for (const list of [words ?? [], segments ?? []]) for (const { end } of list) last = Math.max(last, end * 1000);
  return last;
}

/** The words that start in none of the segments. Both are walked once, by time: either may have tens of thousands. */
function outside<T extends { readonly start: number }>(words: readonly T[], segments: readonly Segment[]): T[] {
  if (segments.length === 0) return [...words];
  const silent = segments.toSorted((a, b) => a.start - b.start);
  const inside = new Set<T>();
  let [next, silentUntil] = [0, -Infinity];
  for (const word of words.toSorted((a, b) => a.start - b.start)) {
    for (let at = silent[next]; at !== undefined && at.start <= word.start; at = silent[next]) {
      silentUntil = Math.max(silentUntil, at.end);
      next += 1;
    }
    if (word.start < silentUntil) inside.add(word);
  }
  return words.filter((word) => !inside.has(word));
}

function separated(segments: readonly Segment[]): [invented: Segment[], kept: Segment[]] {
  const isInvented = ({ no_speech_prob, avg_logprob }: Segment): boolean =>
    (no_speech_prob ?? 0) > NO_SPEECH && (avg_logprob ?? 0) < LOG_PROBABILITY;
  return [
    segments.filter(isInvented),
    segments.filter((segment) => !isInvented(segment) && segment.text.trim() !== ''),
  ];
}

/** Puts times in order and within the audio: services round, and let words overlap by a few milliseconds. */
function ordered<T extends { readonly start: number; readonly end: number }>(
  items: readonly T[],
  length: number,
): { item: T; start_ms: number; end_ms: number }[] {
  let before = 0;
  return items.map((item) => {
    const start_ms = Math.min(length, Math.max(before, item.start * 1000));
    before = Math.min(length, Math.max(start_ms, item.end * 1000));
    return { item, start_ms, end_ms: before };
  });
}

const confidenceOf = ({ avg_logprob }: Segment): number | null =>
  typeof avg_logprob === 'number' ? Math.min(1, Math.exp(avg_logprob)) : null;

/** The mean of the segments, by their lengths. */
function overallOf(segments: Transcript['segments']): number | null {
  let [sum, weights] = [0, 0];
  for (const { confidence, start_ms, end_ms } of segments) {
    if (confidence === null) return null;
    sum += confidence * (end_ms - start_ms);
    weights += end_ms - start_ms;
  }
  return weights === 0 ? null : sum / weights;
}
