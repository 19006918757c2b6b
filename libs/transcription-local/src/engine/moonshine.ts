// SPDX-License-Identifier: Apache-2.0
import { dataOf, flag, floats, integers, openSession, type InferenceSession, type Tensor } from './sessions.ts';
import type { HeardToken } from './tokens.ts';

/** Samples of one frame of the encoder: 24 ms. */
export const ENCODER_FRAME = 384;
const HEADS = 8;
const HEAD_SIZE = 52;
const WIDTH = HEADS * HEAD_SIZE;
const START = 1;
const END = 2;
/** The model repeats itself on some sounds; nobody says more tokens in a second. */
const TOKENS_PER_SECOND = 6.5;
const PAST = 'past_key_values.';
const PRESENT = 'present.';

/** Keys and values of attention by the names of the decoder's inputs: [1, HEADS, length, HEAD_SIZE] each. */
export type Cache = Readonly<Record<string, Float32Array>>;

/** What the model heard in a piece. */
export interface Heard {
  /** without the end; the model's own choice at each place */
  readonly tokens: readonly HeardToken[];
  /** frames of the encoder */
  readonly frames: number;
  /** attention to the audio, which the words are aligned with */
  readonly audio: Cache;
  /** attention to the tokens before: one place for each input token */
  readonly text: Cache;
}

/** Rows that are judged at once: each sees the audio up to a frame. */
export interface ProbeInput {
  readonly heard: Heard;
  /** the audio of each row ends after this number of frames */
  readonly ends: readonly number[];
  /** places of the tokens to judge */
  readonly first: number;
  readonly last: number;
}

/** Moonshine, a model of English words: an encoder and a decoder, without a time for its words. */
export class Moonshine {
  readonly #encoder: InferenceSession;
  readonly #decoder: InferenceSession;

  private constructor(encoder: InferenceSession, decoder: InferenceSession) {
    this.#encoder = encoder;
    this.#decoder = decoder;
  }

  static async load(encoder: Uint8Array, decoder: Uint8Array): Promise<Moonshine> {
    return new Moonshine(await openSession(encoder), await openSession(decoder));
  }

  /** Decodes a piece, token by token, greedily. */
  async hear(samples: Float32Array): Promise<Heard> {
    const encoded = await this.#encoder.run({ input_values: floats(samples, 1, samples.length) });
    const hidden = encoded['last_hidden_state'] as Tensor;
    const frames = hidden.dims[1] ?? 0;
    const tokensMax = Math.ceil((samples.length / 16_000) * TOKENS_PER_SECOND);
    const tokens: HeardToken[] = [];
    let past = this.#emptyPast(1);
    for (let input = START; tokens.length <= tokensMax;) {
      const outputs = await this.#decoder.run({
        input_ids: integers([input], 1, 1),
        encoder_hidden_states: hidden,
        use_cache_branch: flag(tokens.length > 0),
        ...past,
      });
      past = this.#nextPast(past, outputs, tokens.length === 0);
      const token = bestOf(dataOf(outputs, 'logits'));
      if (token.id === END) break;
      tokens.push(token);
      input = token.id;
    }
    return { tokens, frames, audio: cacheOf(past, '.encoder.'), text: cacheOf(past, '.decoder.') };
  }

  /**
   * The log-probability of each token from `first` to `last`, for each row. With less audio than a word needs, its
   * tokens are unlikely: that tells when the word was said.
   */
  async probe({ heard, ends, first, last }: ProbeInput): Promise<Float32Array[]> {
    const rows = ends.length;
    const places = last - first + 1;
    const inputs = [START, ...heard.tokens.map(({ id }) => id)].slice(first, last + 1);
    const outputs = await this.#decoder.run({
      input_ids: integers(
        ends.flatMap(() => inputs),
        rows,
        places,
      ),
      encoder_hidden_states: floats(new Float32Array(rows * WIDTH), rows, 1, WIDTH),
      use_cache_branch: flag(true),
      ...pastOf(
        heard.text,
        ends.map(() => first),
        first,
      ),
      ...pastOf(heard.audio, ends, heard.frames),
    });
    const logits = dataOf(outputs, 'logits');
    const size = logits.length / (rows * places);
    return ends.map((_, row) =>
      Float32Array.from({ length: places }, (_none, place) => {
        const at = (row * places + place) * size;
        return logProbability(logits.subarray(at, at + size), heard.tokens[first + place]?.id ?? END);
      }),
    );
  }

  #emptyPast(rows: number): Record<string, Tensor> {
    const names = this.#decoder.inputNames.filter((name) => name.startsWith(PAST));
    return Object.fromEntries(names.map((name) => [name, floats(new Float32Array(), 0, HEADS, rows, HEAD_SIZE)]));
  }

  /** Attention to the audio is computed once, and later outputs of it are empty. */
  #nextPast(
    past: Readonly<Record<string, Tensor>>,
    outputs: InferenceSession.ReturnType,
    isFirst: boolean,
  ): Record<string, Tensor> {
    return Object.fromEntries(
      Object.keys(past).map((name) => {
        const kept = name.includes('.encoder.') && !isFirst;
        return [name, kept ? (past[name] as Tensor) : (outputs[name.replace(PAST, PRESENT)] as Tensor)];
      }),
    );
  }
}

function cacheOf(past: Readonly<Record<string, Tensor>>, kind: string): Cache {
  const entries = Object.entries(past).filter(([name]) => name.includes(kind));
  return Object.fromEntries(entries.map(([name, tensor]) => [name, tensor.data as Float32Array]));
}

/** Rows of a cache: the first `kept[row]` places in `width` places, of which the others are zero. */
function pastOf(cache: Cache, kept: readonly number[], width: number): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(cache).map(([name, source]) => {
      const data = new Float32Array(kept.length * HEADS * width * HEAD_SIZE);
      kept.forEach((places, row) => {
        for (let head = 0; head < HEADS; head++) {
          const from = (head * source.length) / HEADS;
          const part = source.subarray(from, from + Math.min(places, width) * HEAD_SIZE);
          data.set(part, (row * HEADS + head) * width * HEAD_SIZE);
        }
      });
      return [name, floats(data, kept.length, HEADS, width, HEAD_SIZE)];
    }),
  );
}

function bestOf(logits: Float32Array): HeardToken {
  let id = 0;
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[id] as number)) id = i;
  return { id, logProbability: logProbability(logits, id) };
}

function logProbability(logits: Float32Array, id: number): number {
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - max);
  return (logits[id] ?? -Infinity) - max - Math.log(sum);
}
