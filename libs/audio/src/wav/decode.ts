// SPDX-License-Identifier: Apache-2.0

/** Reads the sample at a byte, between −1 and 1 for integers. */
export type DecodeSample = (view: DataView, at: number) => number;

export interface WavFormat {
  readonly channels: number;
  readonly rateHz: number;
  /** bytes of one frame, which has a sample of each channel */
  readonly blockAlign: number;
  readonly bytesPerSample: number;
  readonly decode: DecodeSample;
}

const PCM: Readonly<Record<number, DecodeSample>> = {
  // Eight bits are unsigned, all others signed.
  8: (view, at) => (view.getUint8(at) - 128) / 128,
  16: (view, at) => view.getInt16(at, true) / 32_768,
  24: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608,
  32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
};
const FLOAT: Readonly<Record<number, DecodeSample>> = { 32: (view, at) => view.getFloat32(at, true) };

/** The decoder of samples of that kind and width, or null if there is none. */
export function decoderOf(kind: 'pcm' | 'float', bits: number): DecodeSample | null {
  return (kind === 'pcm' ? PCM : FLOAT)[bits] ?? null;
}
