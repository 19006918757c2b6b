// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import fc from 'fast-check';
import { readWav } from './read-wav.ts';
import { wavOf } from './write-wav.ts';

const LIMITS = { durationMsMax: 1_000 };

/** Reads, and accepts samples within range and bounds, or a fault of the two codes. */
function readTotal(bytes: Uint8Array): void {
  try {
    const samples = readWav(bytes, LIMITS);
    expect(samples.length).toBeLessThanOrEqual(16_000);
    expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect(['audio.unreadable', 'audio.too_long']).toContain((error as Fault).code);
  }
}

describe('the reader of WAV files', () => {
  it('returns samples within bounds or a fault for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), readTotal));
  });

  it('returns samples within bounds or a fault for a valid file with changed and lost bytes', () => {
    const valid = wavOf(Float32Array.from({ length: 200 }, (_, i) => Math.sin(i)));
    const changes = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 255 })), { maxLength: 6 });
    fc.assert(
      fc.property(changes, fc.nat({ max: valid.length }), (edits, length) => {
        const bytes = valid.slice(0, length);
        for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
        readTotal(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns samples within bounds or a fault for a header with any fields', () => {
    fc.assert(
      fc.property(
        fc.record({
          codec: fc.constantFrom(1, 3, 0xfffe, 2, 0),
          channels: fc.constantFrom(0, 1, 2, 3, 65_535),
          rate: fc.oneof(fc.constantFrom(4_000, 16_000, 44_100, 192_000), fc.nat({ max: 0xffff_ffff })),
          bits: fc.constantFrom(0, 8, 16, 24, 32, 64, 65_535),
          size: fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(0xffff_ffff, 0x8000_0000)),
        }),
        fc.uint8Array({ maxLength: 300 }),
        ({ codec, channels, rate, bits, size }, data) => {
          const head = Buffer.from(wavOf(new Float32Array()));
          head.writeUInt16LE(codec, 20);
          head.writeUInt16LE(channels, 22);
          head.writeUInt32LE(rate, 24);
          head.writeUInt16LE(((channels * bits) / 8) & 0xffff, 32);
          head.writeUInt16LE(bits, 34);
          head.writeUInt32LE(size, 40);
          readTotal(Buffer.concat([head, data]));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
