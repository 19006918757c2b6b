// SPDX-License-Identifier: Apache-2.0
import { durationMsOf, readWav, samplesIn } from '@writ/audio';
import type { Transcript, TranscriptWord } from './transcript.ts';
import {
  chooseModel,
  Transcriber,
  type Audio,
  type TranscribeOptions,
  type TranscriptionModel,
} from './transcriber.ts';

/** Louder than this is speech to the fake. */
const SPEECH = 0.1;
const STEP = samplesIn(20);

/**
 * A fake that hears the word `beep` in each stretch that is not quiet. Its times are right, so that callers can test
 * with tones.
 */
export class FakeTranscriber extends Transcriber {
  override models(): readonly TranscriptionModel[] {
    return [{ id: 'fake', languages: ['en'], wordTimes: true }];
  }

  override async transcribe(audio: Audio, options: TranscribeOptions): Promise<Transcript> {
    options.signal.throwIfAborted();
    chooseModel(this.models(), options);
    const samples = audio.kind === 'pcm' ? audio.samples : readWav(audio.bytes, { durationMsMax: 3_600_000 });
    const words = loudStretches(samples).map(([from, to]): TranscriptWord => ({
      text: 'beep',
      start_ms: durationMsOf(from),
      end_ms: durationMsOf(to),
      confidence: 1,
    }));
    return {
      text: words.map(({ text }) => text).join(' '),
      language: 'en',
      confidence: words.length === 0 ? null : 1,
      duration_ms: durationMsOf(samples.length),
      words,
      segments: words,
    };
  }
}

function loudStretches(samples: Float32Array): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < samples.length; at += STEP) {
    const end = Math.min(at + STEP, samples.length);
    if (!samples.subarray(at, end).some((sample) => Math.abs(sample) > SPEECH)) continue;
    const last = found.at(-1);
    if (last?.[1] === at) last[1] = end;
    else found.push([at, end]);
  }
  return found;
}
