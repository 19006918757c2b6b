// SPDX-License-Identifier: Apache-2.0
// The part of git's index that is needed here: the content that git last staged or checked out at each path
// (gitformat-index, versions 2 to 4).
import { readVariable } from './delta.ts';
import type { Effort } from './effort.ts';
import { asBuffer } from './git-object.ts';

const SIGNATURE = 'DIRC';
const HEADER_BYTES = 12;
/** ctime, mtime, dev, ino, mode, uid, gid, size: ten words of 32 bits. */
const STAT_BYTES = 40;
const HASH_BYTES = 20;
const EXTENDED = 0x4000;
/** The longest path of Linux: git checks out no longer one. */
const NAME_BYTES_MAX = 4096;
/** Reading this many bytes of a name as text costs about a step. */
const NAME_STEP_BYTES = 16;

/** Answers whether bytes begin as an index of git does. */
export function isIndex(bytes: Uint8Array): boolean {
  const data = asBuffer(bytes);
  if (data.length < HEADER_BYTES || data.toString('latin1', 0, 4) !== SIGNATURE) return false;
  const version = data.readUInt32BE(4);
  return version >= 2 && version <= 4;
}

/**
 * Reports each entry of an index: its path and the hexadecimal name of its object. Returns false for bytes that are no
 * complete index of SHA-1 objects in a supported version. The bytes are attacker-controlled, and an invalid index
 * proves nothing.
 *
 * @throws BeyondEffort
 */
export function readStagedNames(
  bytes: Uint8Array,
  effort: Effort,
  report: (path: string, name: string) => void,
): boolean {
  if (!isIndex(bytes)) return false;
  const data = asBuffer(bytes);
  const [isCompressed, count] = [data.readUInt32BE(4) === 4, data.readUInt32BE(8)];
  // Each name overwrites the previous one, whose beginning version 4 reuses.
  const name = Buffer.alloc(NAME_BYTES_MAX);
  let [at, length] = [HEADER_BYTES, 0];
  for (let entry = 0; entry < count; entry += 1) {
    const start = nameOffset(data, at);
    if (start === null) return false;
    const cut = isCompressed ? readVariable(data, start, 1) : { value: length, next: start };
    if (cut === null || cut.value > length) return false;
    const end = data.indexOf(0, cut.next);
    const kept = length - cut.value;
    if (end < 0 || kept + end - cut.next > NAME_BYTES_MAX) return false;
    length = kept + data.copy(name, kept, cut.next, end);
    effort.spendSteps(1 + length / NAME_STEP_BYTES);
    report(name.toString('utf8', 0, length), data.toString('hex', at + STAT_BYTES, at + STAT_BYTES + HASH_BYTES));
    // Versions 2 and 3: the name ends with one to eight NULs, so that an entry's length is a multiple of eight.
    at = isCompressed ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  return true;
}

/** The offset of an entry's name; null beyond the end. */
function nameOffset(data: Buffer, at: number): number | null {
  const flags = at + STAT_BYTES + HASH_BYTES;
  if (flags + 4 > data.length) return null;
  return flags + 2 + ((data.readUInt16BE(flags) & EXTENDED) === 0 ? 0 : 2);
}
