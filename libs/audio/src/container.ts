// SPDX-License-Identifier: Apache-2.0

/** What `unreadable` messages tell a caller to send. */
export const READABLE_FORMATS = 'WAV with PCM of 8, 16, 24 or 32 bits or 32-bit float, mono or stereo';

const ascii = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

const startsWith = (bytes: Uint8Array, ...prefix: readonly number[]): boolean =>
  prefix.every((byte, i) => bytes[i] === byte);

const SIGNATURES: readonly (readonly [name: string, has: (bytes: Uint8Array) => boolean])[] = [
  ['WAV', (bytes) => ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WAVE'],
  ['FLAC', (bytes) => ascii(bytes, 0, 4) === 'fLaC'],
  ['Ogg (Opus or Vorbis)', (bytes) => ascii(bytes, 0, 4) === 'OggS'],
  ['MP4 or M4A (AAC)', (bytes) => ascii(bytes, 4, 4) === 'ftyp'],
  ['WebM or Matroska', (bytes) => startsWith(bytes, 0x1a, 0x45, 0xdf, 0xa3)],
  ['AIFF', (bytes) => ascii(bytes, 0, 4) === 'FORM'],
  ['64-bit WAV', (bytes) => ascii(bytes, 0, 4) === 'RF64' || ascii(bytes, 0, 4) === 'BW64'],
  ['MP3', (bytes) => ascii(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2)],
];

/** The name of a container by its first bytes, or null if they are of none that is known. */
export function containerOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(([, has]) => has(bytes))?.[0] ?? null;
}
