// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import { Fault, type Change, type FileDiff, type FileState, type TenantId } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';
import type { ComparedText, TextPair } from './compare-texts.ts';
import { COMPARED_BYTES_MAX } from './preview-change.ts';
import { COMPARE_TEXTS } from '../call-tasks.ts';
import type { WorkerTasks } from '../../edge/work/worker-tasks.ts';

/** Bytes of contents read for one response; further files are listed without their text. */
const READ_BYTES_MAX = 2 * 1024 * 1024;
/** Files in one response: as many as a call may change. */
export const FILES_MAX = 5_000;

type NoTextReason = NonNullable<FileDiff['why_no_text']>;
const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0);

/** The store of the contents, and the worker threads that compare them. */
export interface DiffDependencies {
  readonly blobs: BlobStore;
  readonly tasks: WorkerTasks;
}

/**
 * Lists changes as unified diffs, with texts up to the byte limit. Contents are read from the tenant's own store and
 * compared in a worker thread. A file whose comparison takes too long is listed without its text. Faults:
 * `blob.missing`, `blob.corrupt`, `overloaded`.
 */
export async function fileDiffs(
  { blobs, tasks }: DiffDependencies,
  tenantId: TenantId,
  changes: readonly Change[],
): Promise<FileDiff[]> {
  const files: { readonly change: Change; readonly pair: number | NoTextReason }[] = [];
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
    typeof pair === 'string' ? withoutText(change, pair) : withText(change, compared[pair] ?? null),
  );
}

/** Both contents as texts, or the reason why they are not shown. */
async function pairOf(
  blobs: BlobStore,
  tenantId: TenantId,
  { path, before, after }: Change,
  hasRoom: boolean,
): Promise<TextPair | NoTextReason> {
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

/** If the comparison exceeds its budget, files are listed without their texts. */
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

function changeHeader({ path, before, after }: Change): Pick<FileDiff, 'path' | 'change' | 'before' | 'after'> {
  return { path, change: before === null ? 'added' : after === null ? 'deleted' : 'modified', before, after };
}

const withoutText = (change: Change, why: NoTextReason): FileDiff => ({
  ...changeHeader(change),
  added_lines: null,
  removed_lines: null,
  text: null,
  why_no_text: why,
});

const withText = (change: Change, compared: ComparedText | null): FileDiff =>
  compared === null ? withoutText(change, 'too_long') : { ...changeHeader(change), ...compared, why_no_text: null };
