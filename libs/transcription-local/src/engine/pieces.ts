// SPDX-License-Identifier: Apache-2.0
import { VOICE_FRAME } from './voice.ts';

/** A stretch of an audio, in samples. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What the model of words hears at once. */
export interface Piece extends Stretch {
  /** where speech is in it, in samples of the whole audio */
  readonly runs: readonly Stretch[];
}

const BEGINS = 0.5;
/** Lower, so that a weak sound does not end a word. */
const ENDS = 0.35;
/** Frames of silence that end a run: 128 ms. */
const SILENT_FRAMES = 4;
/** Shorter sounds are clicks: 64 ms. */
const RUN_FRAMES_MIN = 2;
/** The model was trained on short utterances, and its cost rises with the square of the length: 12 s. */
export const PIECE_SAMPLES_MAX = 12 * 16_000;
/** A longer pause ends a piece: 1 s. */
const PAUSE_SAMPLES = 16_000;
/** Around a piece, so that its first and last sounds are whole: 128 ms. */
const PAD_SAMPLES = 4 * VOICE_FRAME;

/** The runs of speech, by the probabilities of the frames. None is longer than a piece may be. */
export function runsOf(probabilities: Float32Array, samples: number): Stretch[] {
  const runs: Stretch[] = [];
  let from = -1;
  let silent = 0;
  const end = (to: number): void => {
    if (to - from >= RUN_FRAMES_MIN) runs.push(...split({ from, to }, probabilities));
    from = -1;
    silent = 0;
  };
  for (const [frame, probability] of probabilities.entries()) {
    if (from < 0) {
      if (probability >= BEGINS) from = frame;
      continue;
    }
    silent = probability < ENDS ? silent + 1 : 0;
    if (silent === SILENT_FRAMES) end(frame + 1 - SILENT_FRAMES);
  }
  if (from >= 0) end(probabilities.length - silent);
  return runs.map((run) => ({ from: run.from * VOICE_FRAME, to: Math.min(run.to * VOICE_FRAME, samples) }));
}

/** Cuts a run that is too long where speech is least likely, in its second half. */
function split(run: Stretch, probabilities: Float32Array): Stretch[] {
  const framesMax = (PIECE_SAMPLES_MAX - 2 * PAD_SAMPLES) / VOICE_FRAME;
  const parts: Stretch[] = [];
  let { from } = run;
  while (run.to - from > framesMax) {
    let cut = from + Math.floor(framesMax / 2);
    for (let frame = cut; frame < from + framesMax; frame++)
      if ((probabilities[frame] ?? 0) < (probabilities[cut] ?? 0)) cut = frame;
    parts.push({ from, to: cut });
    from = cut;
  }
  return [...parts, { from, to: run.to }];
}

/** Groups runs into pieces that the model hears at once, each with a little of what surrounds it. */
export function piecesOf(runs: readonly Stretch[], samples: number): Piece[] {
  const groups: Stretch[][] = [];
  for (const run of runs) {
    const group = groups.at(-1);
    const [first, last] = [group?.[0], group?.at(-1)];
    const fits =
      first !== undefined &&
      last !== undefined &&
      run.from - last.to <= PAUSE_SAMPLES &&
      run.to - first.from <= PIECE_SAMPLES_MAX - 2 * PAD_SAMPLES;
    if (fits) group?.push(run);
    else groups.push([run]);
  }
  return groups.map((group, i) => {
    const from = group[0]?.from ?? 0;
    const to = group.at(-1)?.to ?? 0;
    const before = groups[i - 1]?.at(-1)?.to ?? 0;
    const after = groups[i + 1]?.[0]?.from ?? samples;
    return {
      from: from - Math.min(PAD_SAMPLES, Math.floor((from - before) / 2)),
      to: Math.min(samples, to + Math.min(PAD_SAMPLES, Math.floor((after - to) / (i + 1 < groups.length ? 2 : 1)))),
      runs: group,
    };
  });
}
