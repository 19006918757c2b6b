// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import fc from 'fast-check';
import { wavOf } from '../wav/write-wav.ts';
import { encodeFrame, FRAME_BYTES_MAX, FrameReader, framesOfWav, type AudioFrame } from './frames.ts';

const frames = fc.array(
  fc.record({
    seq: fc.nat(Number.MAX_SAFE_INTEGER - 1),
    startMs: fc.maxSafeNat(),
    pcm: fc.uint8Array({ minLength: 320, maxLength: 900 }).map((bytes) => bytes.subarray(0, bytes.length & ~1)),
  }),
  { maxLength: 5 },
);

function readAll(parts: readonly Uint8Array[]): AudioFrame[] {
  const reader = new FrameReader();
  const read = parts.flatMap((part) => [...reader.push(part)]);
  reader.end();
  return read;
}

describe('frames of an upload', () => {
  it('are read as they were encoded, however the upload is cut', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 500 }), (sent, cut) => {
        const body = Buffer.concat(sent.map(encodeFrame));
        const parts = Array.from({ length: Math.ceil(body.length / cut) }, (_, i) =>
          body.subarray(i * cut, (i + 1) * cut),
        );
        const read = readAll(parts).map((frame) => ({ ...frame, pcm: Buffer.from(frame.pcm).toString('hex') }));
        expect(read).toEqual(sent.map((frame) => ({ ...frame, pcm: Buffer.from(frame.pcm).toString('hex') })));
      }),
    );
  });

  it('of any bytes are read or refused with `audio.unreadable`', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        try {
          readAll([bytes]);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect(error).toMatchObject({ code: 'audio.unreadable' });
        }
      }),
    );
  });

  it('that claim more bytes than a frame may have are refused before they arrive', () => {
    const header = new Uint8Array(20);
    new DataView(header.buffer).setUint32(0, FRAME_BYTES_MAX + 2, true);
    expect(() => [...new FrameReader().push(header)]).toThrow('send 320 to 320000');
  });

  it('whose number has no exact next one are refused', () => {
    const bytes = encodeFrame({ seq: 0, startMs: 0, pcm: new Uint8Array(320) });
    const numbered = (seq: bigint): Uint8Array => {
      new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(4, seq, true);
      return bytes;
    };
    expect(readAll([numbered(2n ** 53n - 2n)])).toMatchObject([{ seq: Number.MAX_SAFE_INTEGER - 1 }]);
    for (const seq of [2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n])
      expect(() => readAll([numbered(seq)])).toThrow('no sequence number from 0 to 9007199254740990');
  });

  it('that are cut off are refused at the end of the upload', () => {
    const whole = encodeFrame({ seq: 0, startMs: 0, pcm: new Uint8Array(320) });
    expect(() => readAll([whole.subarray(0, 100)])).toThrow('ends within a frame');
  });

  it('of a WAV file are seconds with rising numbers and times', () => {
    const wav = wavOf(new Float32Array(40_000).fill(0.5));
    const cut = framesOfWav(wav, { seq: 7, startMs: 5_000 }, { durationMsMax: 10_000 });
    expect(cut.map(({ seq, startMs, pcm }) => [seq, startMs, pcm.length])).toEqual([
      [7, 5_000, 32_000],
      [8, 6_000, 32_000],
      [9, 7_000, 16_000],
    ]);
  });
});
