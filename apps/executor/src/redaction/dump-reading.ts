// SPDX-License-Identifier: Apache-2.0
//
// Reads the dumps of `od`, `xxd` and `hexdump`: each line has an offset, groups of digits or single characters, and
// often the characters again at its end.
import type { Reading } from './readings.ts';
import type { Track } from './track.ts';

/** The tracks of a dump. */
export interface DumpTracks {
  /** groups of hexadecimal digits, byte after byte: `xxd`, `hexdump -C`, `od -tx1` */
  readonly inOrder: Track;
  /** groups of hexadecimal digits, the last byte first: `od -x`, `hexdump`, `od -tx4` on most machines */
  readonly reversed: Track;
  /** groups of octal digits: `od`, `od -b` */
  readonly octal: Track;
  /** single characters: `od -c` */
  readonly characters: Track;
  /** the characters at the end of each line, where unprintable ones show as a dot */
  readonly column: Track;
}

const [LINE_FEED, CARRIAGE_RETURN, SPACE, TAB, BAR, COLON] = [0x0a, 0x0d, 0x20, 0x09, 0x7c, 0x3a];
/** Longer than any group: sixteen bytes as `xxd -c16 -g16` writes them. */
const TOKEN_BYTES_MAX = 32;
/** So many blanks precede the characters in the output of `xxd`. */
const BLANKS_BEFORE_COLUMN = 2;
const OFFSET = /^[0-9a-f]{4,16}:?$/i;
const PAIRS = /^(?:[0-9a-f]{2}){1,16}$/i;
const WORD = /^(?:[0-9a-f]{4}|[0-9a-f]{8}|[0-9a-f]{16})$/i;
const OCTAL_BYTE = /^[0-3][0-7]{2}$/;
const OCTAL_WORD = /^[01][0-7]{5}$/;
/** Escapes of `od -c`: white space is no part of a value's loose bytes. */
const CONTROL = /^\\[0abfnrtv]$/;

/**
 * The part of a line that a byte belongs to: its offset, its groups, the characters at its end, or a line that belongs
 * to no dump.
 */
type Part = 'offset' | 'groups' | 'column' | 'other';

export class DumpReading implements Reading {
  readonly tracks: readonly Track[];
  readonly #of: DumpTracks;
  #part: Part = 'offset';
  #token = '';
  #tokenStart = 0;
  #blanks = 0;
  #hasColon = false;
  #hasGroup = false;
  /** position of a bar that ends the characters unless another byte of the line follows; -1 for none */
  #bar = -1;
  #read = 0;

  constructor(tracks: DumpTracks) {
    this.#of = tracks;
    this.tracks = Object.values(tracks) as Track[];
  }

  push(bytes: Uint8Array, from: number): void {
    for (let index = 0; index < bytes.length; index++) this.#byte(bytes[index] ?? 0, from + index);
    this.#read = from + bytes.length;
  }

  finish(): void {
    this.#endToken(this.#read);
  }

  pending(): number {
    const isGroup = this.#part === 'groups' && this.#token !== '' && this.#token.length <= TOKEN_BYTES_MAX;
    const begun = isGroup ? this.#tokenStart : this.#bar === -1 ? Infinity : this.#bar;
    return this.tracks.reduce((first, track) => Math.min(first, track.pending(this.#read)), begun);
  }

  #byte(byte: number, at: number): void {
    if (byte === LINE_FEED) {
      this.#endToken(at);
      [this.#part, this.#blanks, this.#hasColon, this.#hasGroup, this.#bar] = ['offset', 0, false, false, -1];
    } else if (this.#part === 'other' || byte === CARRIAGE_RETURN) {
      return;
    } else if (this.#part === 'column') {
      this.#inColumn(byte, at);
    } else if (byte === SPACE || byte === TAB) {
      // A line without an offset is what `od -An` writes.
      if (this.#part === 'offset' && this.#token === '') this.#part = 'groups';
      this.#endToken(at);
      this.#blanks += 1;
    } else {
      this.#inToken(byte, at);
    }
  }

  #inToken(byte: number, at: number): void {
    const isColumn =
      this.#part === 'groups' &&
      this.#token === '' &&
      ((byte === BAR && this.#hasGroup) || (this.#hasColon && this.#hasGroup && this.#blanks >= BLANKS_BEFORE_COLUMN));
    this.#blanks = 0;
    if (isColumn) {
      this.#part = 'column';
      if (this.#hasColon) this.#inColumn(byte, at);
      return;
    }
    if (this.#token === '') this.#tokenStart = at;
    if (this.#token.length <= TOKEN_BYTES_MAX) this.#token += String.fromCharCode(byte);
  }

  /** `hexdump -C` writes a bar before and behind the characters, `xxd` writes none. */
  #inColumn(byte: number, at: number): void {
    if (this.#bar !== -1) this.#of.column.push(BAR, this.#bar, this.#bar + 1);
    this.#bar = byte === BAR && !this.#hasColon ? at : -1;
    if (this.#bar === -1) this.#of.column.push(byte, at, at + 1);
  }

  #endToken(end: number): void {
    const [token, start] = [this.#token, this.#tokenStart];
    this.#token = '';
    if (token === '') return;
    if (this.#part === 'offset') {
      this.#part = OFFSET.test(token) ? 'groups' : 'other';
      this.#hasColon = token.charCodeAt(token.length - 1) === COLON;
      if (this.#part === 'other') for (const track of this.tracks) track.reset();
    } else if (this.#part === 'groups') {
      this.#hasGroup = true;
      this.#group(token, start, end);
    }
  }

  #group(token: string, start: number, end: number): void {
    const { inOrder, reversed, octal, characters } = this.#of;
    put(inOrder, PAIRS.test(token) ? Buffer.from(token, 'hex') : null, start, end);
    put(reversed, WORD.test(token) ? Buffer.from(token, 'hex').reverse() : null, start, end);
    put(octal, octalOf(token), start, end);
    if (token.length === 1) characters.push(token.charCodeAt(0), start, end);
    else if (OCTAL_BYTE.test(token)) characters.push(Number.parseInt(token, 8), start, end);
    else if (!CONTROL.test(token)) characters.reset();
  }
}

function put(track: Track, bytes: Uint8Array | null, start: number, end: number): void {
  if (bytes === null) return track.reset();
  // All bytes of a group share its position: a group with a byte of a value is redacted as a whole.
  for (const byte of bytes) track.push(byte, start, end);
}

function octalOf(token: string): Uint8Array | null {
  if (OCTAL_BYTE.test(token)) return Uint8Array.of(Number.parseInt(token, 8));
  if (!OCTAL_WORD.test(token)) return null;
  const word = Number.parseInt(token, 8);
  return Uint8Array.of(word & 0xff, word >> 8);
}
