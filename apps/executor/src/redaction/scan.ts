// SPDX-License-Identifier: Apache-2.0
import { Automaton } from './automaton.ts';
import { DumpReading } from './dump-reading.ts';
import { NumbersReading } from './numbers-reading.ts';
import { foundIn, HexReading, LooseReading, PlainReading, type Reading } from './readings.ts';
import type { Shapes } from './shapes.ts';
import { Track, type Range } from './track.ts';

/** Fewer symbols of a value at a cut tell next to nothing. */
export const CUT_SYMBOLS_MIN = 4;

/**
 * Bytes that may stand between two symbols: the indentation of a list, signs between digits, the rest of a dump's line
 * and the offset of the next.
 */
const GAPS = { plain: 0, loose: 16, digits: 8, numbers: 24, dump: 96 } as const;

/** What is looked for, made ready once for many scans. */
export class Searched {
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

  /** Fresh readings; none of those in which nothing could be found. */
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

/** Looks through one stream of bytes, in every reading. Takes time that grows with the stream alone. */
export class Scan {
  readonly #readings: readonly Reading[];
  #read: number;

  /** @param from where the first byte stands */
  constructor(searched: Searched, from = 0) {
    this.#readings = searched.readings();
    this.#read = from;
  }

  /** Takes the next bytes; answers what was found with them. */
  push(bytes: Uint8Array): Range[] {
    for (const reading of this.#readings) reading.take(bytes, this.#read);
    this.#read += bytes.length;
    return this.#readings.flatMap(foundIn);
  }

  /**
   * Nothing follows; answers what that decides. `cut`: the stream was cut off, maybe within a value, and what may be
   * the beginning of one counts.
   */
  finish(cut: boolean): Range[] {
    for (const reading of this.#readings) reading.finish();
    const begun = cut
      ? this.#readings.flatMap(({ tracks }) => tracks.map((track) => track.begun(CUT_SYMBOLS_MIN, this.#read)))
      : [];
    return [...this.#readings.flatMap(foundIn), ...begun.filter((range) => range !== null)];
  }

  /** Where the first value may have begun that isn't read to its end; what was read where none may. */
  pending(): number {
    return this.#readings.reduce((first, reading) => Math.min(first, reading.pending()), this.#read);
  }
}
