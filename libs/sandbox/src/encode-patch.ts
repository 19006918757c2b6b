// SPDX-License-Identifier: Apache-2.0
import { chunksOf, stateOf, type Parts } from './encode-entries.ts';
import type { EntryTree } from './entry-tree.ts';
import { encodeHostMessage } from './host-message.ts';
import type { EntryHead } from './entry-head.ts';
import { pathFault, targetFault } from './path.ts';
import { SandboxJobError, type SandboxEntry, type SandboxPatch } from './sandbox.ts';

const NONE = Buffer.alloc(0);

/** The messages that send one patch to an agent. */
export function* encodePatch(patch: SandboxPatch): Generator<Parts> {
  const { path } = patch;
  if (patch.kind === 'gone') return yield [encodeHostMessage({ type: 'patch', path, after: null, bytes: NONE })];
  const [first = NONE, ...rest] = patch.kind === 'file' ? chunksOf(patch.bytes) : [];
  yield [encodeHostMessage({ type: 'patch', path, after: headOf(patch), bytes: first })];
  for (const bytes of rest) yield [encodeHostMessage({ type: 'data', bytes })];
}

/**
 * The messages that turn the files in a container into those of a job; updates `standing` accordingly. Throws
 * SandboxJobError at an invalid entry.
 */
export async function* encodePatches(
  patches: Iterable<SandboxPatch> | AsyncIterable<SandboxPatch>,
  present: EntryTree,
): AsyncGenerator<Parts, void, undefined> {
  for await (const patch of patches) {
    const fault = pathFault(patch.path) ?? (patch.kind === 'symlink' ? targetFault(patch.target) : null);
    if (fault !== null) throw new SandboxJobError(`the entry \`${patch.path}\` ${fault}`);
    yield* encodePatch(patch);
    present.put(patch.path, patch.kind === 'gone' ? null : stateOf(patch));
  }
}

function headOf(entry: SandboxEntry): EntryHead {
  const { path, kind } = entry;
  if (kind === 'dir') return { kind, path };
  if (kind === 'symlink') return { kind, path, target: entry.target };
  return { kind, path, mode: entry.mode, size: entry.bytes.length, sha256: stateOf(entry).sha256 ?? '' };
}
