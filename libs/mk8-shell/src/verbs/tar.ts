// SPDX-License-Identifier: Apache-2.0
import { VERB_LIMITS } from '../limits.ts';
import { refused, StepError } from '../run/step-error.ts';
import type { ArchiveEntry } from './archive-entry.ts';

const BLOCK = 512;

/**
 * The entries of a tar (POSIX.1-2001 ustar, with long names of pax and GNU). Links and devices are refused.
 * @throws StepError
 */
export function readTar(tar: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    requireChecksum(header);
    const size = octal(header, 124, 12);
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (at > tar.length) throw new StepError('the tar ends in the middle of an entry');
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'L') {
      longName = type === 'x' ? (paxPath(bytes) ?? longName) : text(bytes);
      continue;
    }
    // Headers with settings for all entries name no entry.
    if (type === 'g') continue;
    entries.push(entryOf(type, longName ?? nameOf(header), bytes));
    longName = null;
    if (entries.length > VERB_LIMITS.archiveEntries)
      throw new StepError(`the archive has more than ${VERB_LIMITS.archiveEntries} entries`);
  }
  return entries;
}

function entryOf(type: string, path: string, bytes: Uint8Array): ArchiveEntry {
  if (type === '5') return { path, kind: 'directory', bytes: new Uint8Array() };
  if (type === '0' || type === '\0' || type === '7') return { path, kind: 'file', bytes };
  throw refused(`the entry \`${path.slice(0, 200)}\` is a link or a device; nothing was written`);
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8').replace(/\0.*$/s, '');
const nameOf = (header: Buffer): string => {
  const prefix = header.subarray(257, 263).toString('latin1') === 'ustar\0' ? text(header.subarray(345, 500)) : '';
  const name = text(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
};

function octal(header: Buffer, at: number, length: number): number {
  const digits = text(header.subarray(at, at + length)).trim();
  if (!/^[0-7]{1,12}$/.test(digits)) throw new StepError("the tar has a header that can't be read");
  return Number.parseInt(digits, 8);
}

function requireChecksum(header: Buffer): void {
  const sum = header.reduce((total, byte, n) => total + (n >= 148 && n < 156 ? 32 : byte), 0);
  if (octal(header, 148, 8) !== sum) throw new StepError('the tar has a header whose checksum is wrong');
}

/** The path in a record of pax (`LENGTH path=VALUE`), or null. */
function paxPath(bytes: Buffer): string | null {
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, Math.max(at, space)).toString('latin1'));
    if (space < 0 || !Number.isInteger(length) || length <= space - at + 1)
      throw new StepError("the tar has a record that can't be read");
    const record = bytes.subarray(space + 1, at + length - 1).toString('utf8');
    if (record.startsWith('linkpath=') || record.startsWith('GNU.sparse'))
      throw refused('the tar has a link or a sparse file; nothing was written');
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += length;
  }
  return null;
}
