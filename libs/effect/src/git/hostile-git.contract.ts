// SPDX-License-Identifier: Apache-2.0
// Malformed files of git, which are made to cost their reader as much as possible.
import { deflateSync } from 'node:zlib';
import { objectName, type ObjectType } from './git-object.ts';

/** A size in the format of packs: seven bits a byte, the lowest first. */
function sizeBytes(size: number): Buffer {
  const bytes: number[] = [];
  let rest = size;
  do {
    const more = Math.floor(rest / 128);
    bytes.push((rest & 0x7f) | (more > 0 ? 0x80 : 0));
    rest = more;
  } while (rest > 0);
  return Buffer.from(bytes);
}

function entryHead(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size & 15);
  return rest === 0 ? Buffer.from([first]) : Buffer.concat([Buffer.from([first | 0x80]), sizeBytes(rest)]);
}

function backBytes(back: number): Buffer {
  const bytes = [back & 0x7f];
  for (let rest = Math.floor(back / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest & 0x7f) | 0x80);
  }
  return Buffer.from(bytes);
}

/** A delta that produces that many bytes by insertions of one byte each. */
export function insertions(size: number): Buffer {
  const body = Buffer.alloc(size * 2);
  for (let at = 0; at < size; at += 1) body[2 * at] = 1;
  return Buffer.concat([sizeBytes(size), sizeBytes(size), body]);
}

/** A delta that copies its whole base, in pieces of 64 KiB. */
export function copies(size: number): Buffer {
  const piece = 0x1_0000;
  const pieces = Array.from({ length: size / piece }, (_, n) => {
    const offset = Buffer.alloc(4);
    offset.writeUInt32LE(n * piece);
    return Buffer.concat([Buffer.from([0x8f]), offset]);
  });
  return Buffer.concat([sizeBytes(size), sizeBytes(size), ...pieces]);
}

/** The index of a pack that has all of the names at one offset. */
export function packIndexOf(names: readonly string[], offset: number): Buffer {
  const sorted = [...names].sort();
  const index = Buffer.alloc(8 + 1024 + sorted.length * 28 + 40);
  Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]).copy(index);
  const counts = new Array<number>(256).fill(0);
  sorted.forEach((name, at) => {
    index.write(name, 1032 + at * 20, 'hex');
    index.writeUInt32BE(offset, 1032 + sorted.length * 24 + at * 4);
    const first = Number.parseInt(name.slice(0, 2), 16);
    counts[first] = (counts[first] ?? 0) + 1;
  });
  let sum = 0;
  counts.forEach((count, first) => index.writeUInt32BE((sum += count), 8 + first * 4));
  return index;
}

/** A pack in which each of the names is a chain of that many deltas over a blob of zeros. */
export function chainPack(
  names: readonly string[],
  { levels, size, delta }: { levels: number; size: number; delta: Buffer },
): { index: Buffer; pack: Buffer } {
  const parts: Buffer[] = [Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 0, 1])];
  let at = 12;
  const push = (...bytes: Buffer[]): number => {
    const here = at;
    for (const each of bytes) parts.push(each);
    at += bytes.reduce((sum, each) => sum + each.length, 0);
    return here;
  };
  let top = push(entryHead(3, size), deflateSync(Buffer.alloc(size)));
  const compressed = deflateSync(delta);
  for (let level = 0; level < levels; level += 1)
    top = push(entryHead(6, delta.length), backBytes(at - top), compressed);
  return { index: packIndexOf(names, top), pack: Buffer.concat(parts) };
}

/** A pack whose only entry is a delta over itself. */
export function loopPack(name: string): { index: Buffer; pack: Buffer } {
  return {
    index: packIndexOf([name], 12),
    pack: Buffer.concat([Buffer.alloc(12), entryHead(7, 1), Buffer.from(name, 'hex'), deflateSync(insertions(1))]),
  };
}

/**
 * An index of version 4. Each of its names adds one byte to the previous one, up to a length; later ones differ in
 * their last byte.
 */
export function growingIndex(entries: number, first: number): Buffer {
  const head = Buffer.from([0x44, 0x49, 0x52, 0x43, 0, 0, 0, 4, 0, 0, 0, 0]);
  head.writeUInt32BE(entries, 8);
  const stat = Buffer.alloc(62);
  return Buffer.concat([
    head,
    ...Array.from({ length: entries }, (_, n) => [
      stat,
      Buffer.from([n === 0 ? 0 : 1]),
      n === 0 ? Buffer.alloc(first, 97) : Buffer.from('ab'),
      Buffer.from([0]),
    ]).flat(),
  ]);
}

/** As `growingIndex`, with names of constant length. */
export function longIndex(entries: number, length: number): Buffer {
  const head = Buffer.from([0x44, 0x49, 0x52, 0x43, 0, 0, 0, 4, 0, 0, 0, 0]);
  head.writeUInt32BE(entries, 8);
  const entry = Buffer.concat([Buffer.alloc(62), Buffer.from([1]), Buffer.from('a'), Buffer.from([0])]);
  const first = Buffer.concat([Buffer.alloc(62), Buffer.from([0]), Buffer.alloc(length, 97), Buffer.from([0])]);
  return Buffer.concat([head, first, ...Array.from({ length: entries - 1 }, () => entry)]);
}

/** A loose object with its name. */
export function looseObject(type: ObjectType, bytes: Buffer): { name: string; bytes: Buffer } {
  return {
    name: objectName(type, bytes),
    bytes: deflateSync(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])),
  };
}

/** Distinct names, as many as requested. */
export const manyNames = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => n.toString(16).padStart(8, '0') + 'a'.repeat(32));

/** A directory with that many entries. */
export function wideTree(entries: number): Buffer {
  return Buffer.concat(
    Array.from({ length: entries }, (_, n) => {
      const hash = Buffer.alloc(20, 1);
      hash.writeUInt32BE(n);
      return Buffer.concat([Buffer.from(`40000 ${n}\0`), hash]);
    }),
  );
}
