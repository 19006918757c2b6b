// SPDX-License-Identifier: Apache-2.0
import { Fault, type Delta, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import {
  applyDelta,
  ConflictError,
  encodingDelta,
  growthOf,
  parseSnapshotId,
  rebase,
  runWithPauses,
  snapshotIdOf,
  withPauses,
  type NodeReader,
} from '@writ/workspace';
import type { HeadChange } from '../outcomes/index.ts';
import type { Head } from '../../foundation/rows/attempt-rows.ts';

/** A delta, with those of the contents it names that aren't stored yet. */
export interface NamedEffect {
  readonly delta: Delta;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Makes the state that a delta leads to on the head, and stores everything that it names: nodes, the delta itself, and
 * the contents that came along. The head isn't changed. The kernel computes the new root itself. It uses only the delta
 * of an executor, and every `before` in it must match the state.
 *
 * @throws Fault `workspace.conflict` where another call changed a path of it, `effect.invalid` where it doesn't fit its
 * own base
 */
export async function makeNewHead(
  blobs: BlobStore,
  tenantId: TenantId,
  { delta, contents }: NamedEffect,
  head: Head,
): Promise<HeadChange> {
  const reader = withPauses((sha256) => blobs.get(tenantId, sha256), pacer());
  const onHead = head.snapshot_id === delta.base ? delta : await rebased(reader, delta, head);
  // Another call made the same changes already.
  if (onHead.changes.length === 0) return { ...head, new_snapshot_id: null, delta_id: null };
  const applied = await applyChecked(reader, onHead, delta, head);
  const { id, bytes: encoded } = await runWithPauses(encodingDelta(onHead), reader.pause);
  await blobs.putMany(tenantId, [...applied.nodes.map(({ bytes }) => bytes), encoded, ...contents.values()]);
  return { ...head, new_snapshot_id: snapshotIdOf(applied.root), delta_id: id, growth: growthOf(onHead) };
}

async function rebased(reader: NodeReader, delta: Delta, head: Head): Promise<Delta> {
  const moved = await rebase(reader, delta, parseSnapshotId(delta.base), parseSnapshotId(head.snapshot_id));
  if ('conflicts' in moved) throw new ConflictError(moved.conflicts);
  return moved.delta;
}

async function applyChecked(reader: NodeReader, onHead: Delta, delta: Delta, head: Head) {
  try {
    return await applyDelta(reader, parseSnapshotId(head.snapshot_id), onHead);
  } catch (error) {
    // A delta that doesn't apply to its own base misstates what it found.
    if (error instanceof ConflictError && head.snapshot_id === delta.base)
      throw new Fault('effect.invalid', error.message, { cause: error });
    throw error;
  }
}
