// SPDX-License-Identifier: Apache-2.0
//
// A directory is a node: the RFC 8785 JSON `{"entries":[…],"v":1}`, with its entries sorted by the UTF-8 bytes of their
// names. Its id is the SHA-256 of those bytes. An entry of a directory has the id of the node below, so a root
// identifies a whole tree. INVARIANT (one tree, one root): a node has exactly one encoding, and parsing refuses any
// other.
import { Fault, type FileState } from '@writ/contract';
import { concatBytes, sha256Hex, utf8Bytes } from '@writ/digest';
import { compareUtf8 } from './compare-utf8.ts';
import { LARGE_BYTES, LargeNodes } from './large-nodes.ts';
import { isName } from './path.ts';
import { partsOf, runAtOnce, runWithPauses, sorting, type Pause, type Steps } from './steps.ts';
import { decodeText } from './text.ts';
import type { NodeEntry } from './node-entry.ts';

/**
 * Returns the bytes of a node or of a file's content by their SHA-256 (64 lower-case hexadecimal digits). MUST throw if
 * it doesn't have them. The caller checks the hash of nodes; contents it MUST check itself.
 */
export interface NodeReader {
  (sha256: string): Promise<Uint8Array>;
  /**
   * Called between two steps of work on large trees. A reader on a shared event loop MUST have one, which MUST yield to
   * other work from time to time. Its rejection ends the work.
   */
  readonly pause?: Pause;
}

/** Bytes that must be stored before anything refers to them. */
export interface NewBlob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The node of these entries, which may be in any order. Throws on a duplicate or invalid name. */
export function encodeNode(entries: readonly NodeEntry[]): NewBlob {
  return runAtOnce(encodingNode(entries));
}

/** The same in steps: a directory may have tens of thousands of entries. */
export function* encodingNode(entries: readonly NodeEntry[]): Steps<NewBlob> {
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

/** The text before and after the entries. */
const [BEGIN, END] = ['{"entries":[', '],"v":1}'];

/**
 * The entries, separated by commas. JSON.stringify writes strings and integers as RFC 8785 does (§3.2.2); the members
 * are in its order here.
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

/** Parses a node's bytes. Throws `blob.corrupt` on anything but the canonical encoding of a valid node. */
export function parseNode(bytes: Uint8Array): readonly NodeEntry[] {
  return runAtOnce(parsingNode(bytes));
}

/** The text between two entries: these characters can't occur within an entry. */
const BETWEEN = '},{"kind":"';
/** Characters that are parsed at once: some hundred entries, in some tenths of a millisecond. */
const PART_CHARS = 16 * 1024;
/** Longer than the longest entry: a name of 255 bytes, all of them escapes. */
const ENTRY_CHARS_MAX = 4 * 1024;

/**
 * Parses the text of a node in parts, split between entries. INVARIANT (one tree, one root) holds for any splits: each
 * part equals the encoding of its entries, and the parts make up the whole text.
 */
export function* parsingNode(bytes: Uint8Array): Steps<readonly NodeEntry[]> {
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
    // One character, the comma, is between two parts; the last part has none.
    at = until + 1;
    yield;
  }
  return entries;
}

/** The entries of a part of a node's text, which follow the entry `before`. */
function parsePart(text: string, before: NodeEntry | undefined): NodeEntry[] {
  let entries: unknown[];
  try {
    entries = JSON.parse(`[${text}]`) as unknown[];
  } catch (error) {
    throw new Fault('blob.corrupt', 'a directory node is not JSON', { cause: error });
  }
  // Encoding it again detects unknown members, another order, and any other spelling.
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
const largeNodes = new LargeNodes(LARGE_NODES_BYTES);

/** Reads and verifies the node of that hash. */
export async function loadNode(reader: NodeReader, sha256: string): Promise<readonly NodeEntry[]> {
  const bytes = await reader(sha256);
  if (sha256Hex(bytes) !== sha256) throw new Fault('blob.corrupt', `the node \`${sha256}\` does not match its hash`);
  if (bytes.length < LARGE_BYTES) return parseNode(bytes);
  const cached = largeNodes.get(sha256);
  if (cached !== undefined) return cached;
  const entries = Object.freeze(await runWithPauses(parsingNode(bytes), reader.pause));
  largeNodes.put(sha256, entries, bytes.length);
  return entries;
}

/** A reader that first looks into these blobs: for a tree whose new nodes aren't stored yet. */
export function withBlobs(reader: NodeReader, blobs: readonly NewBlob[]): NodeReader {
  const fresh = new Map(blobs.map((blob) => [blob.sha256, blob.bytes]));
  return withPause(async (sha256) => fresh.get(sha256) ?? (await reader(sha256)), reader.pause);
}

/** The reader with pauses: before each read, and while its results are processed. */
export function withPauses(reader: (sha256: string) => Promise<Uint8Array>, pause: Pause): NodeReader {
  return withPause(async (sha256) => {
    await pause();
    return await reader(sha256);
  }, pause);
}

function withPause(read: (sha256: string) => Promise<Uint8Array>, pause: Pause | undefined): NodeReader {
  return pause === undefined ? read : Object.assign(read, { pause });
}

/**
 * The state of an entry in deltas. A directory's entries have their own changes, so its state is only its existence.
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
