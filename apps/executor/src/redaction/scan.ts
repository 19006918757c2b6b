// SPDX-License-Identifier: Apache-2.0
import { Automaton } from './automaton.ts';
import { DumpReading } from './dump-reading.ts';
import { NumbersReading } from './numbers-reading.ts';
import { foundIn, HexReading, LooseReading, PlainReading, type Reading } from './readings.ts';
import type { Shapes } from './shapes.ts';
import { Track, type Range } from './track.ts';

/** Fewer symbols of a value at a cut reveal next to nothing. */
export const CUT_SYMBOLS_MIN = 4;

/**
 * The longest gap between two symbols, by reading: indentation of a list, separators between digits, the rest of a
 * dump's line and the next offset.
 */
const GAPS = { plain: 0, loose: 16, digits: 8, numbers: 24, dump: 96 } as const;

/** Prepared search patterns, shared by many scans. */
export class SearchPatterns {
  readonly #automata: Readonly<Record<keyof Shapes, Automaton>>;

  constructor(shapes: readonly Shapes[]) {
    const automatonOf = (key: keyof Shapes): Automaton => new Automaton(shapes.flatMap((shape) => shape[key]));
    this.#automata = {
      plain: automatonOf('plain'),
      loose: automatonOf('loose'),
      hex: automatonOf('hex'),
      numbers: automatonOf('numbers'),
      characters: automatonOf('characters'),
      column: automatonOf('column'),
    };
  }

  /** New readings, without those that have no pattern. */
  readings(): Reading[] {
    const { plain, loose, hex, numbers, characters, column } = this.#automata;
    const readings: [Automaton, () => Reading][] = [
      [plain, () => new PlainReading(new Track(plain, GAPS.plain))],
      [loose, () => new LooseReading(new Track(loose, GAPS.loose))],
      [hex, () => new HexReading(new Track(hex, GAPS.digits))],
      [numbers, () => new NumbersReading(new Track(numbers, GAPS.numbers))],
      [
        numbers,
        () =>
          new DumpReading({
            inOrder: new Track(numbers, GAPS.dump),
            reversed: new Track(numbers, GAPS.dump),
            octal: new Track(numbers, GAPS.dump),
            characters: new Track(characters, GAPS.dump),
            column: new Track(column, GAPS.dump),
          }),
      ],
    ];
    return readings.filter(([automaton]) => !automaton.isEmpty).map(([, make]) => make());
  }
}

/** Searches one stream of bytes in every reading. Time grows with the stream alone. */
export class Scan {
  readonly #readings: readonly Reading[];
  #read: number;

  /** @param from the position of the first byte */
  constructor(patterns: SearchPatterns, from = 0) {
    this.#readings = patterns.readings();
    this.#read = from;
  }

  /** Reads the next bytes and returns the ranges that they complete. */
  push(bytes: Uint8Array): Range[] {
    for (const reading of this.#readings) reading.push(bytes, this.#read);
    this.#read += bytes.length;
    return this.#readings.flatMap(foundIn);
  }

  /**
   * Ends the stream and returns the remaining ranges. `cut`: the stream was cut off, perhaps within a value, so a
   * possible beginning of one counts.
   */
  finish(cut: boolean): Range[] {
    for (const reading of this.#readings) reading.finish();
    const prefixes = cut
      ? this.#readings.flatMap(({ tracks }) => tracks.map((track) => track.prefixRange(CUT_SYMBOLS_MIN, this.#read)))
      : [];
    return [...this.#readings.flatMap(foundIn), ...prefixes.filter((range) => range !== null)];
  }

  /** The position where the first incomplete value may begin; the number of bytes read where none may. */
  pending(): number {
    return this.#readings.reduce((first, reading) => Math.min(first, reading.pending()), this.#read);
  }
}
