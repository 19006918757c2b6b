// SPDX-License-Identifier: Apache-2.0
//
// RIFF/WAVE: "Multimedia Programming Interface and Data Specifications 1.0" (IBM, Microsoft, 1991), and
// WAVE_FORMAT_EXTENSIBLE. The bytes are attacker-controlled. Every length in them is compared with what is there, and
// with the limit, before anything is read or allocated.
import { Fault } from '@writ/contract';
import { containerOf, READABLE_FORMATS } from '../container.ts';
import { SAMPLE_RATE_HZ } from '../pcm.ts';
import { decoderOf, type WavFormat } from './decode.ts';
import { resample } from './resample.ts';

export interface WavLimits {
  /** longer audio is refused with `audio.too_long` */
  readonly durationMsMax: number;
}

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** The bytes of a subformat's GUID after the format's number: KSDATAFORMAT_SUBTYPE_*. */
const SUBFORMAT_TAIL = '000000001000800000aa00389b71';
/** More than any writer makes: a file of empty chunks alone is not walked to its end. */
const CHUNKS_MAX = 1_024;
/** Writers that stream don't know the length and leave 0, or a number near the maximum of 31 or 32 bits. */
const LENGTH_UNKNOWN_MIN = 0x7fff_0000;
const RATE_MIN_HZ = 4_000;
const RATE_MAX_HZ = 192_000;

/**
 * Reads a WAV file into mono samples at 16 kHz, between −1 and 1. Total: any bytes give samples or a fault. Time and
 * memory are linear in the bytes and in the limit on the duration.
 *
 * @throws Fault `audio.unreadable` for other formats, which it names, and for damaged files; `audio.too_long`
 */
export function readWav(bytes: Uint8Array, limits: WavLimits): Float32Array {
  const container = containerOf(bytes);
  if (container !== 'WAV')
    throw unreadable(
      container === null
        ? `the bytes are of no audio format that is known; send ${READABLE_FORMATS}`
        : `the audio is ${container}; send ${READABLE_FORMATS}`,
    );
  const { format, data } = chunksOf(bytes);
  const frames = Math.floor(data.length / format.blockAlign);
  const durationMs = (frames * 1000) / format.rateHz;
  if (durationMs > limits.durationMsMax)
    throw new Fault(
      'audio.too_long',
      `the audio takes ${Math.ceil(durationMs / 1000)} s, and at most ${Math.floor(limits.durationMsMax / 1000)} s are read`,
    );
  const mono = mixDown(data, format, frames);
  return format.rateHz === SAMPLE_RATE_HZ ? mono : resample(mono, format.rateHz);
}

const unreadable = (detail: string): Fault => new Fault('audio.unreadable', detail);

function chunksOf(bytes: Uint8Array): { format: WavFormat; data: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: WavFormat | null = null;
  let at = HEADER_BYTES;
  for (let n = 0; at + CHUNK_HEADER_BYTES <= bytes.length; n++) {
    if (n === CHUNKS_MAX) throw unreadable(`the WAV has more than ${CHUNKS_MAX} chunks`);
    const id = view.getUint32(at, false);
    const size = view.getUint32(at + 4, true);
    const rest = bytes.length - at - CHUNK_HEADER_BYTES;
    const body = at + CHUNK_HEADER_BYTES;
    if (id === DATA) {
      if (format === null) throw unreadable('the WAV has its samples before their format');
      return { format, data: bytes.subarray(body, body + dataLength(size, rest)) };
    }
    if (size > rest)
      throw unreadable(`the WAV is cut off: a chunk at byte ${at} has ${size} bytes, and ${rest} follow`);
    if (id === FMT) format = formatOf(bytes.subarray(body, body + size));
    // Chunks are padded to an even length.
    at = body + size + (size % 2);
  }
  throw unreadable(format === null ? 'the WAV has no format' : 'the WAV has no samples');
}

/** `fmt ` and `data`, as big-endian numbers. */
const FMT = 0x666d7420;
const DATA = 0x64617461;

function dataLength(size: number, rest: number): number {
  if (size === 0 || size >= LENGTH_UNKNOWN_MIN) return rest;
  if (size > rest) throw unreadable(`the WAV is cut off: it has ${rest} of the ${size} bytes of its samples`);
  return size;
}

function formatOf(chunk: Uint8Array): WavFormat {
  if (chunk.length < 16) throw unreadable('the format of the WAV has fewer than 16 bytes');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const number = codecOf(view);
  const channels = view.getUint16(2, true);
  const rateHz = view.getUint32(4, true);
  const blockAlign = view.getUint16(12, true);
  const bits = view.getUint16(14, true);
  if (channels !== 1 && channels !== 2) throw unreadable(`the WAV has ${channels} channels; send one or two`);
  if (rateHz < RATE_MIN_HZ || rateHz > RATE_MAX_HZ)
    throw unreadable(`the WAV has ${rateHz} samples a second; send ${RATE_MIN_HZ} to ${RATE_MAX_HZ}`);
  const decode = decoderOf(number === FLOAT ? 'float' : 'pcm', bits);
  if (decode === null || (number !== PCM && number !== FLOAT))
    throw unreadable(`the WAV has codec ${number} with ${bits} bits; send ${READABLE_FORMATS}`);
  if (blockAlign !== (channels * bits) / 8)
    throw unreadable(`the WAV has frames of ${blockAlign} bytes, and ${channels} × ${bits} bits are another number`);
  return { channels, rateHz, blockAlign, bytesPerSample: bits / 8, decode };
}

function codecOf(view: DataView): number {
  const number = view.getUint16(0, true);
  if (number !== EXTENSIBLE) return number;
  if (view.byteLength < 40) throw unreadable('the extensible format of the WAV has fewer than 40 bytes');
  let tail = '';
  for (let i = 26; i < 40; i++) tail += view.getUint8(i).toString(16).padStart(2, '0');
  if (tail !== SUBFORMAT_TAIL) throw unreadable('the WAV has a codec of its own maker');
  return view.getUint16(24, true);
}

function mixDown(data: Uint8Array, format: WavFormat, frames: number): Float32Array {
  const { channels, blockAlign, bytesPerSample, decode } = format;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const mono = new Float32Array(frames);
  for (let frame = 0; frame < frames; frame++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++)
      sum += decode(view, frame * blockAlign + channel * bytesPerSample);
    const value = sum / channels;
    if (!Number.isFinite(value)) throw unreadable(`the WAV has a sample that is no number, at sample ${frame}`);
    mono[frame] = Math.max(-1, Math.min(1, value));
  }
  return mono;
}
