// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { PIECE_SAMPLES_MAX, piecesOf, runsOf } from './pieces.ts';

/** Frames of 32 ms: `#` is speech, `-` a weak sound, `.` silence. */
const frames = (text: string): Float32Array =>
  Float32Array.from(text, (sign) => ({ '#': 0.9, '-': 0.4 })[sign] ?? 0.05);
const runs = (text: string): [number, number][] =>
  runsOf(frames(text), text.length * 512).map(({ from, to }) => [from / 512, to / 512]);

describe('runs of speech', () => {
  it('begin with speech, go on through weak sounds and short pauses, and end at silence', () => {
    expect(runs('..--###-..##.......###....')).toEqual([
      [4, 12],
      [19, 22],
    ]);
  });

  it('leave out clicks, and are none in silence', () => {
    expect(runs('....#.........')).toEqual([]);
    expect(runs('..............')).toEqual([]);
    expect(runs('')).toEqual([]);
  });

  it('end with the audio', () => {
    expect(runsOf(frames('..####'), 3_000)).toEqual([{ from: 1_024, to: 3_000 }]);
  });
});

describe('pieces', () => {
  it('of any audio hold all of its runs in order, are bounded, and do not overlap', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('#', '.', '-'), fc.integer({ min: 1, max: 600 })), { maxLength: 12 }),
        (parts) => {
          const text = parts.map(([sign, length]) => sign.repeat(length)).join('');
          const all = runsOf(frames(text), text.length * 512);
          const pieces = piecesOf(all, text.length * 512);
          expect(pieces.flatMap((piece) => piece.runs)).toEqual(all);
          let before = 0;
          for (const { from, to, runs: inside } of pieces) {
            expect(from).toBeGreaterThanOrEqual(before);
            expect(to - from).toBeLessThanOrEqual(PIECE_SAMPLES_MAX);
            expect(inside.every((run) => run.from >= from && run.to <= to && run.to > run.from)).toBe(true);
            before = to;
          }
          expect(before).toBeLessThanOrEqual(text.length * 512);
        },
      ),
    );
  });
});
