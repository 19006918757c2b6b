// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import type { Change, FileDiff, FileState, TenantId } from '@writ/contract';
import { structuredPatch, formatPatch } from 'diff';

/** Longest content, in bytes, that is shown as text: what a person reads, and what is compared in milliseconds. */
const FILE_BYTES_MAX = 256 * 1024;
/** Bytes of contents read for one answer; what comes after them is named without its text. */
const READ_BYTES_MAX = 2 * 1024 * 1024;
/** Files in one answer: as many as a call may change. */
const FILES_MAX = 5_000;
/** Lines around a change. */
const CONTEXT_LINES = 3;
/** Two long texts with nothing in common take long to compare; past this they are named as too long. Against nothing, a text compares in one pass. */
const COMPARE_MS_MAX = 250;

type NoText = NonNullable<FileDiff['why_no_text']>;
const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0);

/** Changes as unified diffs, each named, with its text as far as there is room. Contents are read from the tenant's own store. Faults: `blob.missing`, `blob.corrupt`. */
export async function fileDiffs(blobs: BlobStore, tenantId: TenantId, changes: readonly Change[]): Promise<FileDiff[]> {
  const files: FileDiff[] = [];
  let left = READ_BYTES_MAX;
  for (const change of changes.slice(0, FILES_MAX)) {
    const size = (change.before?.size ?? 0) + (change.after?.size ?? 0);
    const file = await fileOf(blobs, tenantId, change, size <= left);
    if (file.text !== null) left -= size;
    files.push(file);
  }
  return files;
}

async function fileOf(blobs: BlobStore, tenantId: TenantId, { path, before, after }: Change, hasRoom: boolean): Promise<FileDiff> {
  const named = { path, change: before === null ? 'added' as const : after === null ? 'deleted' as const : 'modified' as const, before, after };
  const without = (why: NoText): FileDiff => ({ ...named, added_lines: null, removed_lines: null, text: null, why_no_text: why });
  if (![before, after].some((state) => state?.kind === 'file') || [before, after].some((state) => state !== null && state.kind !== 'file')) return without('not_a_file');
  if (!hasRoom || Math.max(before?.size ?? 0, after?.size ?? 0) > FILE_BYTES_MAX) return without('too_long');
  const read = async (state: FileState | null): Promise<Buffer> => (state?.sha256 === undefined || state.sha256 === null ? Buffer.alloc(0) : Buffer.from(await blobs.get(tenantId, state.sha256)));
  const [old, now] = await Promise.all([read(before), read(after)]);
  if (!isText(old) || !isText(now)) return without('binary');
  const compared = compare(path, before === null ? null : old.toString('utf8'), after === null ? null : now.toString('utf8'));
  if (compared === undefined) return without('too_long');
  const lines = compared.hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { ...named, added_lines: count('+'), removed_lines: count('-'), text: formatPatch(compared), why_no_text: null };
}

/** The patch between two texts, of which null is no file; undefined where it takes too long. */
function compare(path: string, old: string | null, now: string | null): ReturnType<typeof structuredPatch> | undefined {
  return structuredPatch(old === null ? '/dev/null' : `a/${path}`, now === null ? '/dev/null' : `b/${path}`, old ?? '', now ?? '', undefined, undefined,
    { context: CONTEXT_LINES, ...(old === null || now === null ? {} : { timeout: COMPARE_MS_MAX }) });
}

/** A unified diff of what a text becomes; null where it is too long to show. */
export function textDiff(path: string, old: string | null, now: string): string | null {
  if (Math.max(Buffer.byteLength(old ?? ''), Buffer.byteLength(now)) > FILE_BYTES_MAX) return null;
  const compared = compare(path, old, now);
  return compared === undefined ? null : formatPatch(compared);
}
