// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';
import type { BlobStore } from '@writ/blobs';
import type { ApprovalDiff, Caller, Change, Delta, FileDiff, FileState, TenantId } from '@writ/contract';
import { structuredPatch, formatPatch } from 'diff';
import { KernelClient } from '../support/kernel-client.ts';

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

/** Shows a staged effect as a diff. Who may see it is the kernel's to say; contents are read from the tenant's own store. */
export class ShowDiff {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /** Faults: `not_found`, `auth.role`, `conflict` where no effect is staged. */
  async run(caller: Caller, approvalId: string): Promise<ApprovalDiff> {
    const { effect_digest, delta, delta_ref } = await this.#kernel.ask('approval.effect', caller, { approval_id: approvalId });
    const whole = delta ?? (delta_ref === null ? null : JSON.parse(Buffer.from(await this.#blobs.get(caller.tenant_id, delta_ref.sha256)).toString('utf8')) as Delta);
    if (whole === null) throw new Error('the kernel named an effect without a delta');
    const files: FileDiff[] = [];
    let left = READ_BYTES_MAX;
    for (const change of whole.changes.slice(0, FILES_MAX)) {
      const size = (change.before?.size ?? 0) + (change.after?.size ?? 0);
      const file = await this.#fileOf(caller.tenant_id, change, size <= left);
      if (file.text !== null) left -= size;
      files.push(file);
    }
    return { effect_digest, base_snapshot_id: whole.base, files, files_total: whole.changes.length };
  }

  async #fileOf(tenantId: TenantId, { path, before, after }: Change, hasRoom: boolean): Promise<FileDiff> {
    const named = { path, change: before === null ? 'added' as const : after === null ? 'deleted' as const : 'modified' as const, before, after };
    const without = (why: NoText): FileDiff => ({ ...named, added_lines: null, removed_lines: null, text: null, why_no_text: why });
    if (![before, after].some((state) => state?.kind === 'file') || [before, after].some((state) => state !== null && state.kind !== 'file')) return without('not_a_file');
    if (!hasRoom || Math.max(before?.size ?? 0, after?.size ?? 0) > FILE_BYTES_MAX) return without('too_long');
    const [old, now] = await Promise.all([this.#read(tenantId, before), this.#read(tenantId, after)]);
    if (!isText(old) || !isText(now)) return without('binary');
    const compared = structuredPatch(before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`, old.toString('utf8'), now.toString('utf8'), undefined, undefined,
      { context: CONTEXT_LINES, ...(named.change === 'modified' ? { timeout: COMPARE_MS_MAX } : {}) });
    if (compared === undefined) return without('too_long');
    const lines = compared.hunks.flatMap((hunk) => hunk.lines);
    const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
    return { ...named, added_lines: count('+'), removed_lines: count('-'), text: formatPatch(compared), why_no_text: null };
  }

  async #read(tenantId: TenantId, state: FileState | null): Promise<Buffer> {
    return state?.sha256 === undefined || state.sha256 === null ? Buffer.alloc(0) : Buffer.from(await this.#blobs.get(tenantId, state.sha256));
  }
}
