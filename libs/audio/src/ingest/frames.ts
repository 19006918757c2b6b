// SPDX-License-Identifier: Apache-2.0
//
// The upload of a device: frames end to end, in the body of one request or of many.
//
//     bytes 0–3    length of the samples in bytes, unsigned, little-endian
//     bytes 4–11   sequence number of the frame, unsigned, little-endian
//     bytes 12–19  time of its first sample, milliseconds since 1970-01-01 UTC, unsigned, little-endian
//     bytes 20–    samples: signed 16 bits, little-endian, mono, 16 kHz
//
// A device numbers its frames from 0 and never uses a number for two frames. After a broken upload it sends again from
// the number that the last answer named. A device that has WAV files sends each as frames (`framesOfWav`).
import { Fault } from '@writ/contract';
import { durationMsOf, pcmOfSamples, SAMPLE_BYTES, samplesIn } from '../pcm.ts';
import { readWav, type WavLimits } from '../wav/read-wav.ts';

/** A piece of what a device recorded. */
export interface AudioFrame {
  readonly seq: number;
  /** time of the first sample, milliseconds since 1970-01-01 UTC, by the device's clock */
  readonly startMs: number;
  /** signed 16 bits, little-endian, mono, 16 kHz */
  readonly pcm: Uint8Array;
}

export const FRAME_HEADER_BYTES = 20;
/** 10 ms: shorter frames would cost more in rows than in samples. */
export const FRAME_BYTES_MIN = samplesIn(10) * SAMPLE_BYTES;
/** 10 s: a frame is held in memory, and is lost as a whole. */
export const FRAME_BYTES_MAX = samplesIn(10_000) * SAMPLE_BYTES;

/** The time after the last sample of a frame, in milliseconds since 1970-01-01 UTC. */
export const endMsOf = (frame: AudioFrame): number => frame.startMs + durationMsOf(frame.pcm.length / SAMPLE_BYTES);

/** Checks a frame. @throws Fault `audio.unreadable` */
export function verifyFrame(frame: AudioFrame): AudioFrame {
  const { seq, startMs, pcm } = frame;
  // The number after it is the next one of the device, and has to be exact too.
  if (!Number.isSafeInteger(seq + 1) || seq < 0)
    throw new Fault('audio.unreadable', 'a frame has no sequence number from 0 to 9007199254740990');
  if (!Number.isSafeInteger(startMs) || startMs < 0)
    throw new Fault('audio.unreadable', `the frame ${seq} has no time in milliseconds since 1970`);
  if (pcm.length < FRAME_BYTES_MIN || pcm.length > FRAME_BYTES_MAX || pcm.length % SAMPLE_BYTES !== 0)
    throw new Fault(
      'audio.unreadable',
      `the frame ${seq} has ${pcm.length} bytes of samples; send an even number from ${FRAME_BYTES_MIN} to ${FRAME_BYTES_MAX}`,
    );
  return frame;
}

/** Encodes a frame for an upload. */
export function encodeFrame(frame: AudioFrame): Uint8Array {
  const { seq, startMs, pcm } = verifyFrame(frame);
  const bytes = new Uint8Array(FRAME_HEADER_BYTES + pcm.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, pcm.length, true);
  view.setBigUint64(4, BigInt(seq), true);
  view.setBigUint64(12, BigInt(startMs), true);
  bytes.set(pcm, FRAME_HEADER_BYTES);
  return bytes;
}

/** Decodes an upload, of which the parts may be cut anywhere. Keeps at most one frame. */
export class FrameReader {
  #kept = new Uint8Array(FRAME_HEADER_BYTES + FRAME_BYTES_MAX);
  #length = 0;

  /** The frames that end in this part. @throws Fault `audio.unreadable`; no part may follow then */
  *push(part: Uint8Array): Generator<AudioFrame> {
    for (let at = 0; at < part.length;) {
      const wanted = this.#wanted() - this.#length;
      const taken = part.subarray(at, at + wanted);
      this.#kept.set(taken, this.#length);
      this.#length += taken.length;
      at += taken.length;
      if (this.#length >= FRAME_HEADER_BYTES && this.#length === this.#wanted()) yield this.#take();
    }
  }

  /** Checks that the upload ends with a frame. @throws Fault `audio.unreadable` for a part of one */
  end(): void {
    if (this.#length > 0)
      throw new Fault('audio.unreadable', `the upload ends within a frame, after ${this.#length} of its bytes`);
  }

  #view(): DataView {
    return new DataView(this.#kept.buffer, 0, FRAME_HEADER_BYTES);
  }

  /** Bytes of the header, and of the whole frame once the header is there. */
  #wanted(): number {
    if (this.#length < FRAME_HEADER_BYTES) return FRAME_HEADER_BYTES;
    const length = this.#view().getUint32(0, true);
    if (length < FRAME_BYTES_MIN || length > FRAME_BYTES_MAX)
      throw new Fault(
        'audio.unreadable',
        `a frame says that it has ${length} bytes; send ${FRAME_BYTES_MIN} to ${FRAME_BYTES_MAX}`,
      );
    return FRAME_HEADER_BYTES + length;
  }

  #take(): AudioFrame {
    const view = this.#view();
    const pcm = this.#kept.slice(FRAME_HEADER_BYTES, this.#length);
    this.#length = 0;
    return verifyFrame({ seq: Number(view.getBigUint64(4, true)), startMs: Number(view.getBigUint64(12, true)), pcm });
  }
}

/** Bytes of the frames that a WAV file is cut into: one second. */
const WAV_FRAME_BYTES = samplesIn(1_000) * SAMPLE_BYTES;

/**
 * Cuts a WAV file into frames of one second, numbered from `seq`. A rest of less than 10 ms at its end is left out.
 *
 * @throws Fault as `readWav`
 */
export function framesOfWav(
  bytes: Uint8Array,
  start: { seq: number; startMs: number },
  limits: WavLimits,
): AudioFrame[] {
  const pcm = pcmOfSamples(readWav(bytes, limits));
  const frames: AudioFrame[] = [];
  for (let at = 0; at + FRAME_BYTES_MIN <= pcm.length; at += WAV_FRAME_BYTES)
    frames.push({
      seq: start.seq + frames.length,
      startMs: start.startMs + durationMsOf(at / SAMPLE_BYTES),
      pcm: pcm.slice(at, at + WAV_FRAME_BYTES),
    });
  return frames;
}
