// SPDX-License-Identifier: Apache-2.0
import { pcmOfSamples, SAMPLE_BYTES, SAMPLE_RATE_HZ } from '../pcm.ts';

const HEADER_BYTES = 44;

/** A WAV file of mono samples at 16 kHz, with 16 bits each. */
export const wavOf = (samples: Float32Array): Uint8Array => wavOfPcm(pcmOfSamples(samples));

/** The same of raw audio: signed 16 bits, little-endian, mono, 16 kHz. It copies, and computes nothing. */
export function wavOfPcm(pcm: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + pcm.length);
  const view = new DataView(bytes.buffer);
  const text = (at: number, name: string): void => {
    for (let i = 0; i < name.length; i++) bytes[at + i] = name.charCodeAt(i);
  };
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, SAMPLE_RATE_HZ, true);
  view.setUint32(28, SAMPLE_RATE_HZ * SAMPLE_BYTES, true);
  view.setUint16(32, SAMPLE_BYTES, true);
  view.setUint16(34, SAMPLE_BYTES * 8, true);
  text(36, 'data');
  view.setUint32(40, pcm.length, true);
  bytes.set(pcm, HEADER_BYTES);
  return bytes;
}
