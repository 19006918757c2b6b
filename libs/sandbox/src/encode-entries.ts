// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { FileState } from '@writ/contract';
import type { EntryTree } from './entry-tree.ts';
import { CHUNK_BYTES_MAX } from './frame.ts';
import { entryPartsOf } from './host-message.ts';
import { pathFault, targetFault } from './path.ts';
import { SandboxJobError, type SandboxEntry, type SandboxJob } from './sandbox.ts';

/**
 * Consecutive bytes that are written at once. They reference the caller's contents: a copy of a workspace would take
 * longer than writing it.
 */
export type Parts = readonly Uint8Array[];

const NONE = Buffer.alloc(0);
/** Frames of small files are written together up to this size: one write for dozens of files. */
const BATCH_BYTES = 64 * 1024;

/**
 * The messages that send a workspace to an agent; records the entries in `sent`. Throws SandboxJobError at an invalid
 * entry.
 */
export async function* encodeEntries(
  files: SandboxJob['files'],
  sent: EntryTree,
): AsyncGenerator<Parts, void, undefined> {
  let batch: Uint8Array[] = [];
  let batched = 0;
  for await (const entry of files) {
    for (const part of entryParts(entry, sent)) {
      batch.push(part);
      batched += part.length;
      if (batched < BATCH_BYTES) continue;
      yield batch;
      batch = [];
      batched = 0;
    }
  }
  if (batched > 0) yield batch;
}

function* entryParts(entry: SandboxEntry, sent: EntryTree): Generator<Uint8Array> {
  const { path, kind } = entry;
  const state = stateOf(entry);
  const fault = pathFault(path) ?? (kind === 'symlink' ? targetFault(entry.target) : null) ?? sent.add(path, state);
  if (fault !== null) throw new SandboxJobError(`the entry \`${path}\` ${fault}`);
  if (kind === 'dir') return yield* entryPartsOf({ type: 'file', head: { kind, path }, bytes: NONE });
  if (kind === 'symlink')
    return yield* entryPartsOf({ type: 'file', head: { kind, path, target: entry.target }, bytes: NONE });
  const head = { kind, path, mode: entry.mode, size: entry.bytes.length, sha256: state.sha256 ?? '' };
  const [first = NONE, ...rest] = chunksOf(entry.bytes);
  yield* entryPartsOf({ type: 'file', head, bytes: first });
  for (const bytes of rest) yield* entryPartsOf({ type: 'data', bytes });
}

/** An entry in the form of snapshots and deltas: a link's content is its target, a directory has none. */
export function stateOf(entry: SandboxEntry): FileState {
  if (entry.kind === 'dir') return { kind: 'dir', mode: null, sha256: null, size: 0 };
  const bytes = entry.kind === 'symlink' ? Buffer.from(entry.target) : entry.bytes;
  const known = entry.kind === 'file' ? entry.sha256 : undefined;
  return {
    kind: entry.kind,
    mode: entry.mode,
    sha256: known ?? createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
  };
}

/** Content in pieces that fit a frame; no piece for empty content. */
export function chunksOf(bytes: Uint8Array): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX) {
    chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(CHUNK_BYTES_MAX, bytes.length - at)));
  }
  return chunks;
}
