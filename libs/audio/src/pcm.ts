// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/** The one sampling rate inside Writ, in hertz: what models of speech take. */
export const SAMPLE_RATE_HZ = 16_000;

/** Bytes of one sample on the wire and at rest: signed, 16 bits, little-endian. */
export const SAMPLE_BYTES = 2;

const FULL_SCALE = 32_768;

/** The length of mono audio at 16 kHz, in milliseconds. */
export const durationMsOf = (samples: number): number => (samples * 1000) / SAMPLE_RATE_HZ;

/** The samples of a time, rounded to the nearest. */
export const samplesIn = (ms: number): number => Math.round((ms * SAMPLE_RATE_HZ) / 1000);

/**
 * Reads raw audio: signed 16 bits, little-endian, mono, 16 kHz.
 *
 * @throws Fault `audio.unreadable` for an odd number of bytes
 */
export function samplesOfPcm(bytes: Uint8Array): Float32Array {
  if (bytes.length % SAMPLE_BYTES !== 0)
    throw new Fault('audio.unreadable', `raw audio has 2 bytes per sample, and there are ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(bytes.length / SAMPLE_BYTES);
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * SAMPLE_BYTES, true) / FULL_SCALE;
  return samples;
}

/** The inverse of `samplesOfPcm`. Values beyond −1 and 1 are limited to them. */
export function pcmOfSamples(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * SAMPLE_BYTES);
  const view = new DataView(bytes.buffer);
  samples.forEach((sample, i) => {
    const value = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample * FULL_SCALE)));
    view.setInt16(i * SAMPLE_BYTES, value, true);
  });
  return bytes;
}
