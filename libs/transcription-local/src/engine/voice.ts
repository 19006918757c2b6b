// SPDX-License-Identifier: Apache-2.0
import { dataOf, floats, openSession, type InferenceSession, type Tensor } from './sessions.ts';
import { Tensor as OrtTensor } from 'onnxruntime-web';

/** Samples that the model of voice judges at once: 32 ms. */
export const VOICE_FRAME = 512;
/** Samples of the frame before, which it sees too. */
const CONTEXT = 64;
const STATE = [2, 1, 128] as const;

/**
 * Silero VAD: tells where somebody speaks. What is not speech never reaches the model of words, which would invent
 * some.
 */
export class VoiceDetector {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async load(bytes: Uint8Array): Promise<VoiceDetector> {
    return new VoiceDetector(await openSession(bytes));
  }

  /** The probability of speech in each frame; the last one is filled with silence. */
  async probabilities(samples: Float32Array): Promise<Float32Array> {
    const rate = new OrtTensor('int64', BigInt64Array.of(16_000n), []);
    const result = new Float32Array(Math.ceil(samples.length / VOICE_FRAME));
    const input = new Float32Array(CONTEXT + VOICE_FRAME);
    let state: Tensor = floats(new Float32Array(STATE[0] * STATE[1] * STATE[2]), ...STATE);
    for (let frame = 0; frame < result.length; frame++) {
      input.copyWithin(0, VOICE_FRAME);
      input.fill(0, CONTEXT);
      input.set(samples.subarray(frame * VOICE_FRAME, (frame + 1) * VOICE_FRAME), CONTEXT);
      const outputs = await this.#session.run({ input: floats(input.slice(), 1, input.length), state, sr: rate });
      state = outputs['stateN'] as Tensor;
      result[frame] = dataOf(outputs, 'output')[0] ?? 0;
    }
    return result;
  }
}
