// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Transcript } from './transcript.ts';

/** A model of an engine. */
export interface TranscriptionModel {
  readonly id: string;
  /** language tags of BCP 47 that it hears; null if it hears any, and tells which */
  readonly languages: readonly string[] | null;
  /** whether its transcripts have words with times */
  readonly wordTimes: boolean;
}

/** Samples: mono, 16 kHz, between −1 and 1. Or the bytes of a file. */
export type Audio =
  { readonly kind: 'pcm'; readonly samples: Float32Array } | { readonly kind: 'file'; readonly bytes: Uint8Array };

export interface TranscribeOptions {
  readonly model: string;
  /** a language tag of BCP 47; without it the engine finds out, or uses the only one of the model */
  readonly language?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * An engine of transcription.
 *
 * Implementations MUST treat audio as attacker-controlled. They MUST bound time and memory of one call, and keep
 * nothing of it. A crash of an engine MUST end one call at most, and MUST NOT run it again. Silence MUST give an empty
 * text. Callers check that whoever asks may read the audio.
 *
 * Faults: `transcription.model_unknown`; `args.invalid` for a language that is no tag or that the model doesn't hear;
 * `audio.unreadable` and `audio.too_long`; `overloaded` if too many wait; `transcription.unavailable` if no engine
 * works, with how to get one; `transcription.failed` if the engine failed on this audio; `deadline` if it took too
 * long.
 */
export abstract class Transcriber {
  /** The models that it offers; the first is the one to use by default. */
  abstract models(): readonly TranscriptionModel[];

  /** Rejects with the reason of the signal when it is aborted; the engine stops working on it then. */
  abstract transcribe(audio: Audio, options: TranscribeOptions): Promise<Transcript>;
}

/** RFC 5646 §2.1, without its grandfathered and private forms: what services of transcription name. */
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-[0-9A-Za-z]{5,8})*$/;

/** The primary language of a tag, in lower case: `en` of `en-GB`. @throws Fault `args.invalid` */
export function primaryLanguageOf(tag: string): string {
  if (tag.length > 35 || !LANGUAGE_TAG.test(tag))
    throw new Fault('args.invalid', 'the language is no tag of BCP 47, such as `en` or `pt-BR`');
  return tag.replace(/-.*/, '').toLowerCase();
}

/**
 * The model of that name, after a check of the language.
 *
 * @throws Fault `transcription.model_unknown` or `args.invalid`
 */
export function chooseModel(
  models: readonly TranscriptionModel[],
  { model, language }: Pick<TranscribeOptions, 'model' | 'language'>,
): TranscriptionModel {
  const found = models.find(({ id }) => id === model);
  if (found === undefined)
    throw new Fault(
      'transcription.model_unknown',
      `there is no model of that name; there are: ${models.map(({ id }) => `\`${id}\``).join(', ') || 'none'}`,
    );
  if (language === undefined) return found;
  const primary = primaryLanguageOf(language);
  if (found.languages !== null && !found.languages.includes(primary))
    throw new Fault(
      'args.invalid',
      `the model \`${found.id}\` hears ${found.languages.join(', ')}, and not \`${primary}\``,
    );
  return found;
}
