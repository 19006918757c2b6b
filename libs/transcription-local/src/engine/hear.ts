// SPDX-License-Identifier: Apache-2.0
import { durationMsOf } from '@writ/audio';
import type { Transcript } from '@writ/transcription';
import { LOCAL_MODEL } from '../model-files.ts';
import { alignWords, type TimedWord } from './align.ts';
import { Moonshine, type Heard } from './moonshine.ts';
import { piecesOf, runsOf, type Piece } from './pieces.ts';
import type { ModelBytes } from './read-models.ts';
import { Vocabulary } from './tokens.ts';
import { VoiceDetector } from './voice.ts';

/** Below this mean log-probability of its tokens, what a piece gave is a guess about noise, and is left out. */
const LOG_PROBABILITY_MIN = -1;

type Word = Transcript['words'][number];

/** The models of the engine, loaded. */
export class Ears {
  readonly #voice: VoiceDetector;
  readonly #model: Moonshine;
  readonly #vocabulary: Vocabulary;

  private constructor(voice: VoiceDetector, model: Moonshine, vocabulary: Vocabulary) {
    this.#voice = voice;
    this.#model = model;
    this.#vocabulary = vocabulary;
  }

  static async load(bytes: ModelBytes): Promise<Ears> {
    return new Ears(
      await VoiceDetector.load(bytes.voice),
      await Moonshine.load(bytes.encoder, bytes.decoder),
      new Vocabulary(bytes.tokens),
    );
  }

  /** Hears what is said: finds speech, decodes it piece by piece, and tells when each word was said. */
  async hear(samples: Float32Array): Promise<Transcript> {
    const durationMs = durationMsOf(samples.length);
    const runs = runsOf(await this.#voice.probabilities(samples), samples.length);
    const segments: Transcript['segments'] = [];
    const words: Word[] = [];
    let [total, tokens] = [0, 0];
    for (const piece of piecesOf(runs, samples.length)) {
      const heard = await this.#model.hear(samples.slice(piece.from, piece.to));
      const sum = heard.tokens.reduce((all, { logProbability }) => all + logProbability, 0);
      const found = await this.#wordsOf(heard, sum, piece, durationMs);
      const [first, last] = [found[0], found.at(-1)];
      if (first === undefined || last === undefined) continue;
      total += sum;
      tokens += heard.tokens.length;
      words.push(...found);
      segments.push({
        text: textOf(found),
        start_ms: first.start_ms,
        end_ms: last.end_ms,
        confidence: Math.exp(sum / heard.tokens.length),
      });
    }
    return {
      text: textOf(words),
      language: LOCAL_MODEL.languages[0],
      confidence: tokens === 0 ? null : Math.exp(total / tokens),
      duration_ms: durationMs,
      words,
      segments,
    };
  }

  async #wordsOf(heard: Heard, sum: number, piece: Piece, durationMs: number): Promise<Word[]> {
    if (heard.tokens.length === 0 || sum / heard.tokens.length < LOG_PROBABILITY_MIN) return [];
    const timed = await alignWords(this.#model, heard, this.#vocabulary.wordsOf(heard.tokens), piece);
    return timed.map((each) => wordOf(each, heard, durationMs));
  }
}

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

function wordOf({ word, from, to }: TimedWord, heard: Heard, durationMs: number): Word {
  const tokens = heard.tokens.slice(word.first, word.last + 1);
  const sum = tokens.reduce((all, { logProbability }) => all + logProbability, 0);
  return {
    text: word.text,
    start_ms: Math.min(durationMs, durationMsOf(from)),
    end_ms: Math.min(durationMs, durationMsOf(to)),
    confidence: Math.exp(sum / tokens.length),
  };
}
