// SPDX-License-Identifier: Apache-2.0
import { crc32, inflateRawSync } from 'node:zlib';
import { VERB_LIMITS } from '../limits.ts';
import { refused, StepError } from '../run/step-error.ts';
import type { ArchiveEntry } from './archive-entry.ts';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const COMMENT_MAX = 0xffff;
const UNIX = 3;
const [TYPE, LINK, FILE, FOLDER] = [0o170000, 0o120000, 0o100000, 0o040000];

interface Listed {
  readonly path: string;
  readonly mode: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * The entries of a zip (APPNOTE 6.3.3, without zip64), by its central directory. Links, encrypted and unknown entries
 * are refused.
 * @throws StepError
 */
export function readZip(zip: Buffer): ArchiveEntry[] {
  const list = listOf(zip);
  const total = list.reduce((sum, { size }) => sum + size, 0);
  if (total > VERB_LIMITS.archiveBytes)
    throw new StepError(`the archive holds more than ${VERB_LIMITS.archiveBytes} bytes`);
  return list.map((entry) => entryOf(zip, entry));
}

function listOf(zip: Buffer): Listed[] {
  const end = endOf(zip);
  const [count, start] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 16)];
  if (count > VERB_LIMITS.archiveEntries)
    throw new StepError(`the archive has more than ${VERB_LIMITS.archiveEntries} entries`);
  const list: Listed[] = [];
  for (let n = 0, at = start; n < count; n++) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== CENTRAL)
      throw new StepError("the zip's list of entries can't be read");
    const [name, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    list.push({
      path: zip.subarray(at + 46, at + 46 + name).toString('utf8'),
      mode: zip.readUInt8(at + 5) === UNIX ? zip.readUInt16LE(at + 40) : 0,
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      crc: zip.readUInt32LE(at + 16),
      packed: zip.readUInt32LE(at + 20),
      size: zip.readUInt32LE(at + 24),
      at: zip.readUInt32LE(at + 42),
    });
    at += 46 + name + extra + comment;
  }
  return list;
}

function endOf(zip: Buffer): number {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - COMMENT_MAX); at--)
    if (zip.readUInt32LE(at) === END) return at;
  throw new StepError('the zip has no end');
}

function entryOf(zip: Buffer, { path, mode, flags, method, crc, packed, size, at }: Listed): ArchiveEntry {
  const name = `the entry \`${path.slice(0, 200)}\``;
  const type = mode & TYPE;
  if (type === LINK || (type !== 0 && type !== FILE && type !== FOLDER))
    throw refused(`${name} is a link or a device; nothing was written`);
  if ((flags & 1) !== 0) throw refused(`${name} is encrypted; nothing was written`);
  if (path.endsWith('/')) return { path, kind: 'directory', bytes: new Uint8Array() };
  if (at + 30 > zip.length || zip.readUInt32LE(at) !== LOCAL) throw new StepError(`${name} can't be found in the zip`);
  const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const bytes = unpacked(zip.subarray(start, start + packed), method, size, name);
  if (bytes.length !== size || crc32(bytes) !== crc) throw new StepError(`${name} doesn't hold what the zip says`);
  return { path, kind: 'file', bytes };
}

function unpacked(packed: Buffer, method: number, size: number, name: string): Buffer {
  if (method === 0) return packed;
  if (method !== 8) throw refused(`${name} is packed in a way that is not read; nothing was written`);
  try {
    // The output never exceeds the announced size, whatever was packed.
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new StepError(`${name} can't be unpacked`, { cause: error });
  }
}
