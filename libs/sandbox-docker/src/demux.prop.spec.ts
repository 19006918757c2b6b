// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { Demux } from './demux.ts';

const pieceArb = fc.record({ kind: fc.constantFrom(1, 2), bytes: fc.uint8Array({ maxLength: 40 }) });

/** One piece in the engine's framing. */
function framed({ kind, bytes }: { kind: number; bytes: Uint8Array }): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

test('both streams are complete, however the engine splits them', () => {
  fc.assert(
    fc.property(fc.array(pieceArb, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), (pieces, step) => {
      const got: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
      const demux = new Demux(
        (bytes) => got[1].push(bytes),
        (bytes) => got[2].push(bytes),
      );
      const whole = Buffer.concat(pieces.map(framed));
      for (let at = 0; at < whole.length; at += step) demux.push(whole.subarray(at, at + step));
      for (const kind of [1, 2] as const) {
        expect(Buffer.concat(got[kind])).toEqual(
          Buffer.concat(pieces.filter((piece) => piece.kind === kind).map(({ bytes }) => bytes)),
        );
      }
    }),
  );
});
