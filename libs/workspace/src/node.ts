// SPDX-License-Identifier: Apache-2.0
//
// A directory is a node: the RFC 8785 JSON `{"entries":[…],"v":1}`, its entries sorted by the UTF-8 bytes of their
// names; its name is the SHA-256 of those bytes. An entry of a directory names the node below, so a root names a whole
// tree. INVARIANT (one tree, one root): a node has exactly one encoding, and any other is refused when it is read.
import { Fault, type FileState } from '@writ/contract';
import { concatBytes, sha256Hex, utf8Bytes } from '@writ/digest';
import { compareUtf8 } from './compare-utf8.ts';
import { LARGE_BYTES, LargeNodes } from './large-nodes.ts';
import { isName } from './path.ts';
import { partsOf, runAtOnce, runWithPauses, sorting, type Pause, type Steps } from './steps.ts';
import { decodeText } from './text.ts';
import type { NodeEntry } from './node-entry.ts';

/**
 * Gives the bytes of a node or of a file's content by their SHA-256 (64 lower-case hexadecimal digits). MUST throw
 * where it doesn't have them. Nodes are checked against their hash after it; contents it MUST check itself.
 */
export interface NodeReader {
  (sha256: string): Promise<Uint8Array>;
  /**
   * Called between two parts of the work on large trees. A reader on an event loop that others share MUST have one, and
   * it MUST give the event loop to others from time to time. It may reject: that ends the work.
   */
  readonly pause?: Pause;
}

/** Bytes that must be in the store before anything names them. */
export interface NewBlob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The node of these entries, which may come in any order. Throws on a name twice or one that isn't a name. */
export function encodeNode(entries: readonly NodeEntry[]): NewBlob {
  return runAtOnce(encoding(entries));
}

/** The same in parts: a directory may have tens of thousands of entries. */
export function* encoding(entries: readonly NodeEntry[]): Steps<NewBlob> {
  const sorted = yield* sorting(entries, (a, b) => compareUtf8(a.name, b.name));
  const texts: Uint8Array[] = [utf8Bytes(BEGIN)];
  let last: string | undefined;
  for (const part of partsOf(sorted)) {
    for (const { name } of part) {
      if (!isName(name) || name === last) throw new Error('a node holds each name once, and only names');
      last = name;
    }
    texts.push(utf8Bytes(texts.length === 1 ? textOf(part) : `,${textOf(part)}`));
    yield;
  }
  texts.push(utf8Bytes(END));
  const bytes = concatBytes(texts);
  return { sha256: sha256Hex(bytes), bytes };
}

/** What stands before and after the entries. */
const [BEGIN, END] = ['{"entries":[', '],"v":1}'];

/**
 * The entries with commas between them. JSON.stringify writes strings and integers as RFC 8785 does (§3.2.2); the
 * members stand in its order here.
 */
function textOf(sorted: readonly NodeEntry[]): string {
  const text = JSON.stringify(
    sorted.map((entry) =>
      entry.kind === 'file'
        ? { kind: entry.kind, mode: entry.mode, name: entry.name, sha256: entry.sha256, size: entry.size }
        : { kind: entry.kind, name: entry.name, sha256: entry.sha256, size: entry.size },
    ),
  );
  return text.slice(1, -1);
}

/** Reads a node's bytes. Throws `blob.corrupt` on anything but the one encoding of a valid node. */
export function parseNode(bytes: Uint8Array): readonly NodeEntry[] {
  return runAtOnce(parsing(bytes));
}

/** How the text of an entry begins after another one: within an entry these characters can't stand. */
const BETWEEN = '},{"kind":"';
/** Characters that are read at once: some hundred entries, in some tenths of a millisecond. */
const PART_CHARS = 16 * 1024;
/** Longer than the longest entry: a name of 255 bytes, all of them escapes. */
const ENTRY_CHARS_MAX = 4 * 1024;

/**
 * Reads the text of a node in parts, cut where an entry begins. INVARIANT (one tree, one root) holds wherever the cuts
 * are: each part is what its entries are written as, and the parts are the whole text.
 */
export function* parsing(bytes: Uint8Array): Steps<readonly NodeEntry[]> {
  const text = decodeText(bytes);
  if (text === null) throw new Fault('blob.corrupt', 'a directory node is not text');
  if (text.length < BEGIN.length + END.length || !text.startsWith(BEGIN) || !text.endsWith(END)) throw otherEncoding();
  const end = text.length - END.length;
  const entries: NodeEntry[] = [];
  for (let at = BEGIN.length; at < end;) {
    const next = text.indexOf(BETWEEN, at + PART_CHARS);
    const until = next === -1 || next >= end ? end : next + 1;
    if (until - at > PART_CHARS + ENTRY_CHARS_MAX) throw otherEncoding();
    for (const entry of parsePart(text.slice(at, until), entries.at(-1))) entries.push(entry);
    // One character, the comma, stands between two parts; behind the last there is none.
    at = until + 1;
    yield;
  }
  return entries;
}

/** The entries of a part of a node's text, which follows the entry before. */
function parsePart(text: string, before: NodeEntry | undefined): NodeEntry[] {
  let entries: unknown[];
  try {
    entries = JSON.parse(`[${text}]`) as unknown[];
  } catch (error) {
    throw new Fault('blob.corrupt', 'a directory node is not JSON', { cause: error });
  }
  // Writing it again finds other members, another order of them, and any other way to write the same.
  if (!entries.every(isEntry) || !isSorted(entries, before) || textOf(entries) !== text) throw otherEncoding();
  return entries;
}

const otherEncoding = (): Fault => new Fault('blob.corrupt', 'a directory node is not in its one encoding');

function isEntry(value: unknown): value is NodeEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, mode, name, sha256, size } = value as Record<string, unknown>;
  if (kind !== 'file' && kind !== 'dir' && kind !== 'symlink') return false;
  if (kind === 'file' && mode !== '644' && mode !== '755') return false;
  return (
    typeof name === 'string' &&
    isName(name) &&
    typeof sha256 === 'string' &&
    SHA256.test(sha256) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0 &&
    (kind !== 'dir' || size === 0)
  );
}

function isSorted(entries: readonly NodeEntry[], before: NodeEntry | undefined): boolean {
  return entries.every((entry, index) => {
    const previous = index === 0 ? before : entries[index - 1];
    return previous === undefined || compareUtf8(previous.name, entry.name) < 0;
  });
}

/** Some ten directories of 20,000 files each. */
const LARGE_NODES_BYTES = 32 * 1024 * 1024;
const large = new LargeNodes(LARGE_NODES_BYTES);

/** Reads the node of that hash, checked. */
export async function loadNode(reader: NodeReader, sha256: string): Promise<readonly NodeEntry[]> {
  const bytes = await reader(sha256);
  if (sha256Hex(bytes) !== sha256) throw new Fault('blob.corrupt', `the node \`${sha256}\` does not match its hash`);
  if (bytes.length < LARGE_BYTES) return parseNode(bytes);
  const known = large.get(sha256);
  if (known !== undefined) return known;
  const entries = Object.freeze(await runWithPauses(parsing(bytes), reader.pause));
  large.keep(sha256, entries, bytes.length);
  return entries;
}

/** A reader that knows these blobs first: for a tree whose new nodes aren't stored yet. */
export function withBlobs(reader: NodeReader, blobs: readonly NewBlob[]): NodeReader {
  const fresh = new Map(blobs.map((blob) => [blob.sha256, blob.bytes]));
  return pausing(async (sha256) => fresh.get(sha256) ?? (await reader(sha256)), reader.pause);
}

/** The reader with pauses: before each reading, and in the work on what was read. */
export function withPauses(reader: (sha256: string) => Promise<Uint8Array>, pause: Pause): NodeReader {
  return pausing(async (sha256) => {
    await pause();
    return await reader(sha256);
  }, pause);
}

function pausing(read: (sha256: string) => Promise<Uint8Array>, pause: Pause | undefined): NodeReader {
  return pause === undefined ? read : Object.assign(read, { pause });
}

/**
 * The state that deltas speak of. A directory's content is told by the changes below it, so its state is that it is
 * there.
 */
export function stateOf(entry: NodeEntry | null): FileState | null {
  if (entry === null) return null;
  if (entry.kind === 'dir') return { kind: 'dir', mode: null, sha256: null, size: 0 };
  return { kind: entry.kind, mode: entry.kind === 'file' ? entry.mode : null, sha256: entry.sha256, size: entry.size };
}

/** Answers whether two states are the same. */
export function isSameState(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.mode === b.mode && a.sha256 === b.sha256 && a.size === b.size;
}
