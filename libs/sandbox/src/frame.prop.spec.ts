// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {
  AGENT_FRAMES,
  encodeFrame,
  FRAME_HEADER_BYTES,
  FrameDecoder,
  FrameError,
  type Frame,
  type FrameTable,
} from './frame.ts';

const types = Object.keys(AGENT_FRAMES) as (keyof typeof AGENT_FRAMES)[];
const frameArb = fc
  .constantFrom(...types)
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      payload: fc.uint8Array({ maxLength: Math.min(1024, AGENT_FRAMES[type].bytesMax) }),
    }),
  );

/** Splits bytes at the given positions. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

function decodeAll<T extends FrameTable>(decoder: FrameDecoder<T>, chunks: readonly Buffer[]): Frame<T>[] {
  return chunks.flatMap((chunk) => [...decoder.push(chunk)]);
}

test('frames are decoded as they were encoded, however the stream is split', () => {
  fc.assert(
    fc.property(
      fc.array(frameArb, { maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.boolean(),
      (frames, cuts, keepsChunks) => {
        const bytes = Buffer.concat(frames.map(({ type, payload }) => encodeFrame(AGENT_FRAMES[type], payload)));
        const decoder = new FrameDecoder(AGENT_FRAMES, keepsChunks);
        const out = decodeAll(decoder, pieces(bytes, cuts));
        expect(out.map(({ type, payload }) => [type, payload.toString('hex')])).toEqual(
          frames.map(({ type, payload }) => [type, Buffer.from(payload).toString('hex')]),
        );
        expect(decoder.idle).toBe(true);
      },
    ),
  );
});

test('payloads are copies, unless the decoder keeps the chunks that are pushed', () => {
  const frame = encodeFrame(AGENT_FRAMES.hello, Buffer.from('hello'));
  for (const keepsChunks of [false, true]) {
    const chunk = new Uint8Array(frame);
    const [whole] = new FrameDecoder(AGENT_FRAMES, keepsChunks).push(chunk);
    expect(whole?.payload.buffer === chunk.buffer).toBe(keepsChunks);
    const cut = new FrameDecoder(AGENT_FRAMES, keepsChunks);
    const halves = [new Uint8Array(frame.subarray(0, 8)), new Uint8Array(frame.subarray(8))];
    const [joined] = halves.flatMap((half) => [...cut.push(half)]);
    expect(joined?.payload.toString()).toBe('hello');
  }
});

test('any bytes either decode or fail with FrameError, and nothing decodes after a failure', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (chunks) => {
      const decoder = new FrameDecoder(AGENT_FRAMES);
      let failed = false;
      for (const chunk of chunks) {
        try {
          const frames = [...decoder.push(chunk)];
          if (failed) expect(frames).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
          failed = true;
        }
      }
      if (failed) expect(() => [...decoder.push(encodeFrame(AGENT_FRAMES.end))]).toThrow(FrameError);
    }),
    { numRuns: 500 },
  );
});

test('a frame that is too large is refused at its header, before its content', () => {
  for (const { code, bytesMax } of Object.values(AGENT_FRAMES)) {
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    header.writeUInt32BE(bytesMax + 1);
    header.set([1, code], 4);
    expect(() => [...new FrameDecoder(AGENT_FRAMES).push(header)]).toThrow(/takes/);
    expect(() => encodeFrame({ code, bytesMax }, new Uint8Array(bytesMax + 1))).toThrow(FrameError);
  }
});

test('frames of the other direction, of another version and of no type are refused', () => {
  const header = (version: number, code: number) => Buffer.from([0, 0, 0, 0, version, code]);
  for (const [version, code] of [
    [1, 1],
    [1, 0],
    [1, 255],
    [0, 64],
    [2, 64],
  ] as const) {
    expect(() => [...new FrameDecoder(AGENT_FRAMES).push(header(version, code))]).toThrow(FrameError);
  }
});
