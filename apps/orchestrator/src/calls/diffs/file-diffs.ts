// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import { Fault, type Change, type FileDiff, type FileState, type TenantId } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';
import type { ComparedText, TextPair } from './compare-texts.ts';
import { COMPARED_BYTES_MAX } from './preview-change.ts';
import { COMPARE_TEXTS } from '../tasks.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';

/** Bytes of contents read for one answer; what comes after them is named without its text. */
const READ_BYTES_MAX = 2 * 1024 * 1024;
/** Files in one answer: as many as a call may change. */
export const FILES_MAX = 5_000;

type NoText = NonNullable<FileDiff['why_no_text']>;
const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0);

/** Where contents are read, and where they are compared. */
export interface DiffsWith {
  readonly blobs: BlobStore;
  readonly tasks: WorkerTasks;
}

/**
 * Changes as unified diffs, each named, with its text as far as there is room. Contents are read from the tenant's own
 * store, and compared in a worker thread: what takes too long there is named without its text.
 * Faults: `blob.missing`, `blob.corrupt`, `overloaded`.
 */
export async function fileDiffs(
  { blobs, tasks }: DiffsWith,
  tenantId: TenantId,
  changes: readonly Change[],
): Promise<FileDiff[]> {
  const files: { readonly change: Change; readonly pair: number | NoText }[] = [];
  const pairs: TextPair[] = [];
  let left = READ_BYTES_MAX;
  for await (const change of inSlices(changes.slice(0, FILES_MAX))) {
    const size = (change.before?.size ?? 0) + (change.after?.size ?? 0);
    const read = await pairOf(blobs, tenantId, change, size <= left);
    if (typeof read !== 'string') left -= size;
    files.push({ change, pair: typeof read === 'string' ? read : pairs.push(read) - 1 });
  }
  const compared = pairs.length === 0 ? [] : await compare(tasks, tenantId, pairs);
  return files.map(({ change, pair }) =>
    typeof pair === 'string' ? without(change, pair) : shown(change, compared[pair] ?? null),
  );
}

/** Both contents as texts, or why they are not shown. */
async function pairOf(
  blobs: BlobStore,
  tenantId: TenantId,
  { path, before, after }: Change,
  hasRoom: boolean,
): Promise<TextPair | NoText> {
  const states = [before, after];
  if (
    !states.some((state) => state?.kind === 'file') ||
    states.some((state) => state !== null && state.kind !== 'file')
  )
    return 'not_a_file';
  if (!hasRoom || Math.max(before?.size ?? 0, after?.size ?? 0) > COMPARED_BYTES_MAX) return 'too_long';
  const read = async (state: FileState | null): Promise<Buffer> =>
    state?.sha256 === undefined || state.sha256 === null
      ? Buffer.alloc(0)
      : Buffer.from(await blobs.get(tenantId, state.sha256));
  const [old, now] = await Promise.all([read(before), read(after)]);
  if (!isText(old) || !isText(now)) return 'binary';
  return {
    path,
    old: before === null ? null : old.toString('utf8'),
    now: after === null ? null : now.toString('utf8'),
  };
}

/** A page that can't be compared within the budget is shown all the same: its files are named. */
async function compare(
  tasks: WorkerTasks,
  tenantId: TenantId,
  pairs: readonly TextPair[],
): Promise<(ComparedText | null)[]> {
  try {
    return await tasks.run(COMPARE_TEXTS, tenantId, pairs);
  } catch (error) {
    if (error instanceof Fault && error.code === 'limit.exceeded') return pairs.map(() => null);
    throw error;
  }
}

function named({ path, before, after }: Change): Pick<FileDiff, 'path' | 'change' | 'before' | 'after'> {
  return { path, change: before === null ? 'added' : after === null ? 'deleted' : 'modified', before, after };
}

const without = (change: Change, why: NoText): FileDiff => ({
  ...named(change),
  added_lines: null,
  removed_lines: null,
  text: null,
  why_no_text: why,
});

const shown = (change: Change, compared: ComparedText | null): FileDiff =>
  compared === null ? without(change, 'too_long') : { ...named(change), ...compared, why_no_text: null };
