// SPDX-License-Identifier: Apache-2.0
//
// When a word was said. The model gives no times and no attention to read them from. So its decoder is asked again how
// likely each word is while it attends to the first 0.2 s, 0.4 s … of the audio. A word becomes likely once its first
// sounds are there. The words' steps are fitted together, in order, by dynamic programming. A step within a pause moves
// to the next sound, which the model of voice tells to 32 ms.
import { ENCODER_FRAME, type Heard, type Moonshine } from './moonshine.ts';
import type { Piece, Stretch } from './pieces.ts';
import type { TokenWord } from './tokens.ts';

/** Frames of the encoder between two probes: 192 ms. */
const STEP = 8;
/** Probes that are judged at once. */
const ROWS = 8;
/** Samples around a group of probes in which words are expected by their length alone: 2.5 s. */
const REACH = 40_000;
/** What a word must lose without its sounds, as a natural logarithm: else others give it away, and it tells no time. */
const GAIN_MAX = 8;
/** Cost of a second between a step and where the word is expected: decides between steps that cost the same. */
const PRIOR = 0.6;

/** A word in time, in samples of the whole audio. */
export interface TimedWord extends Stretch {
  readonly word: TokenWord;
}

/** For each word and probe: 0 where the word is not heard yet, 1 where it is; and how much that says. */
interface Evidence {
  readonly heard: Float32Array;
  readonly gain: number;
}

/** Tells when each word of a piece was said. Words are in order and do not overlap. */
export async function alignWords(
  model: Moonshine,
  heard: Heard,
  words: readonly TokenWord[],
  piece: Piece,
): Promise<TimedWord[]> {
  if (words.length === 0) return [];
  const expected = expectedStarts(words, piece);
  const ends = Array.from({ length: Math.ceil(heard.frames / STEP) }, (_, i) => Math.min((i + 1) * STEP, heard.frames));
  const evidence = await evidenceOf(model, heard, words, { ends, expected: expected.map((at) => at - piece.from) });
  const steps = fit(
    evidence,
    ends.map((end) => piece.from + (end - STEP / 2) * ENCODER_FRAME),
    expected,
  );
  const stepSamples = STEP * ENCODER_FRAME;
  return placed(
    words,
    steps.map((step) => piece.from + step * stepSamples),
    { piece, stepSamples },
  );
}

/** Where words would be if each letter took the same time, in samples of the whole audio. */
function expectedStarts(words: readonly TokenWord[], { runs }: Piece): number[] {
  const speech = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  const letters = words.reduce((sum, { text }) => sum + text.length + 1, 0);
  let before = 0;
  return words.map(({ text }) => {
    let rest = (before / letters) * speech;
    before += text.length + 1;
    for (const { from, to } of runs) {
      if (rest < to - from) return from + rest;
      rest -= to - from;
    }
    return runs.at(-1)?.to ?? 0;
  });
}

async function evidenceOf(
  model: Moonshine,
  heard: Heard,
  words: readonly TokenWord[],
  { ends, expected }: { readonly ends: readonly number[]; readonly expected: readonly number[] },
): Promise<Evidence[]> {
  const scores = words.map(() => new Float32Array(ends.length).fill(Number.NaN));
  for (let at = 0; at < ends.length; at += ROWS) {
    const group = ends.slice(at, at + ROWS);
    const from = (group[0] ?? 0) * ENCODER_FRAME - REACH;
    const to = (group.at(-1) ?? 0) * ENCODER_FRAME + REACH;
    const near = words.map((_, i) => i).filter((i) => (expected[i] ?? 0) >= from && (expected[i] ?? 0) <= to);
    const [first, last] = [words[near[0] ?? -1], words[near.at(-1) ?? -1]];
    if (first === undefined || last === undefined) continue;
    const rows = await model.probe({ heard, ends: group, first: first.first, last: last.last });
    for (const i of near)
      rows.forEach((row, r) => {
        (scores[i] as Float32Array)[at + r] = sumOf(row, words[i] as TokenWord, first.first);
      });
  }
  return scores.map((row, i) => normalised(row, finalScore(heard, words[i] as TokenWord)));
}

const sumOf = (row: Float32Array, word: TokenWord, offset: number): number =>
  row.subarray(word.first - offset, word.last - offset + 1).reduce((sum, value) => sum + value, 0);

const finalScore = (heard: Heard, word: TokenWord): number =>
  heard.tokens.slice(word.first, word.last + 1).reduce((sum, { logProbability }) => sum + logProbability, 0);

/** A probe that was not made is too early for its word, or too late to tell. */
function normalised(scores: Float32Array, final: number): Evidence {
  const made = scores.findIndex((score) => !Number.isNaN(score));
  const low = scores.reduce((min, score) => (score < min ? score : min), final);
  const gain = Math.min(GAIN_MAX, final - low);
  const heard = scores.map((score, i) => {
    if (Number.isNaN(score)) return i < made ? 0 : 1;
    return gain <= 0 ? 1 : Math.max(0, Math.min(1, 1 - (final - score) / gain));
  });
  return { heard, gain };
}

/**
 * The probe at which each word begins to be heard: rising with the words, at the lowest cost of all. O(words × probes).
 *
 * @param times of the probes, and `expected` of the words, in samples
 */
export function fit(evidence: readonly Evidence[], times: readonly number[], expected: readonly number[]): number[] {
  const probes = times.length;
  let best = new Float64Array(probes);
  const choices: Int32Array[] = [];
  for (const [w, { heard, gain }] of evidence.entries()) {
    const unheard = heard.reduce((sum, value) => sum + 1 - value, 0);
    const next = new Float64Array(probes);
    const choice = new Int32Array(probes);
    let before = 0;
    let lowest = 0;
    for (let step = 0; step < probes; step++) {
      if ((best[step] ?? 0) < (best[lowest] ?? 0)) lowest = step;
      const wrong = before + unheard;
      next[step] =
        (best[lowest] ?? 0) + gain * wrong + (PRIOR * Math.abs((times[step] ?? 0) - (expected[w] ?? 0))) / 16_000;
      choice[step] = lowest;
      // From here on, this probe counts as one before the word.
      before += 2 * (heard[step] ?? 0) - 1;
    }
    choices.push(choice);
    best = next;
  }
  let step = best.reduce((lowest, cost, i) => (cost < (best[lowest] ?? 0) ? i : lowest), 0);
  const steps: number[] = [];
  for (const choice of choices.reverse()) {
    steps.unshift(step);
    step = choice[step] ?? 0;
  }
  return steps;
}

/** Spreads words of one step over it, moves starts out of pauses, and ends each word at the next or at a pause. */
function placed(
  words: readonly TokenWord[],
  starts: readonly number[],
  { piece, stepSamples }: { readonly piece: Piece; readonly stepSamples: number },
): TimedWord[] {
  const places: number[] = [];
  for (const [i, start] of starts.entries()) {
    const same = starts.filter((each) => each === start).length;
    const place = outOfPause(start + (stepSamples * (i - starts.indexOf(start) + 0.5)) / same, piece.runs);
    places.push(Math.min(piece.to, Math.max(places.at(-1) ?? piece.from, place)));
  }
  const from = spread(places, piece);
  return words.map((word, i) => {
    const start = Math.round(from[i] ?? piece.from);
    const limit = Math.round(from[i + 1] ?? piece.to);
    return { word, from: start, to: Math.max(start, Math.min(limit, runEnd(start, piece) ?? limit)) };
  });
}

const runEnd = (at: number, { runs }: Piece): number | undefined =>
  runs.find(({ from, to }) => at >= from && at < to)?.to;

/** Words that a pause moved to one place share the time up to the next word, or to the end of the sound. */
function spread(places: readonly number[], piece: Piece): number[] {
  return places.map((place, i) => {
    const first = places.indexOf(place);
    const last = places.lastIndexOf(place);
    const until = Math.min(places[last + 1] ?? piece.to, runEnd(place, piece) ?? piece.to);
    return place + ((until - place) * (i - first)) / (last - first + 1);
  });
}

function outOfPause(at: number, runs: readonly Stretch[]): number {
  if (runs.some(({ from, to }) => at >= from && at < to)) return at;
  const next = runs.find(({ from }) => from >= at);
  return next?.from ?? (runs.at(-1)?.to ?? at) - 1;
}
