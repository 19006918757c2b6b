// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type BlobRef, type Delta, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { sealContent, sealedRef, type ContentKind, type ContentSeal } from '@writ/sealing';
import { pacer } from '@writ/worker-pool';
import { encodingDelta, runWithPauses } from '@writ/workspace';
import type { Staged } from '../calls/runner.ts';
import type { Report } from '../foundation/kernel-client.ts';

/**
 * Where the long contents of a report are stored, and the seal for them. With the seal null, contents are stored
 * unsealed.
 */
export interface ContentDestination {
  readonly blobs: BlobStore;
  readonly tenantId: string;
  readonly seal: ContentSeal | null;
}

/**
 * Resolves with the report. Short contents travel in it, and the kernel stores them with the effect. Contents that are
 * too long for a message are stored before anything names them. Results and lists of requests are sealed. A delta and
 * its blobs are not, since the workspace's history refers to them.
 */
export async function stageReport(staged: Staged, { blobs, tenantId, seal }: ContentDestination): Promise<Report> {
  const result = canonicalBytes(staged.result ?? null);
  const delta = staged.delta === null ? null : await runWithPauses(encodingDelta(staged.delta as Delta), pacer());
  const requests = staged.requests ?? [];
  const list = canonicalBytes(requests);
  const longResult = result.length > LIMITS.resultInlineBytes.max ? sealedContentOf(seal, 'result', result) : null;
  const longDelta =
    delta !== null && delta.bytes.length > LIMITS.deltaInlineBytes.max
      ? { stored: delta.bytes, ref: refOf(delta.bytes) }
      : null;
  const longList = list.length > LIMITS.requestsInlineBytes.max ? sealedContentOf(seal, 'requests', list) : null;
  const isInline = areShort(staged.blobs);
  const stored = [
    ...(isInline ? [] : staged.blobs),
    ...[longList, longResult, longDelta].flatMap((each) => (each === null ? [] : [each.stored])),
  ];
  for (const batch of batchesOf(stored)) await blobs.putMany(tenantId as TenantId, batch);
  return {
    ended: staged.ended,
    exit_code: staged.exitCode,
    error: staged.error,
    delta: longDelta === null ? (staged.delta as Delta | null) : null,
    delta_ref: longDelta?.ref ?? null,
    contents: isInline ? staged.blobs.map((bytes) => Buffer.from(bytes).toString('base64')) : [],
    result: longResult === null ? (staged.result ?? null) : null,
    result_ref: longResult?.ref ?? null,
    result_hash: sha256Hex(result),
    requests: longList === null ? [...requests] : [],
    requests_ref: longList?.ref ?? null,
    usage: staged.usage,
    ...(staged.outputRefs === undefined ? {} : { output_refs: staged.outputRefs }),
    ...(staged.storeChange === undefined ? {} : { store_change: staged.storeChange }),
  };
}

/** Contents that are stored in one call: hashing and copying as many small ones takes one to two milliseconds. */
const BATCH_BLOBS = 500;
const BATCH_BYTES = 8 * 1024 * 1024;

function* batchesOf(blobs: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let [batch, bytes]: [Uint8Array[], number] = [[], 0];
  for (const blob of blobs) {
    if (batch.length === BATCH_BLOBS || (batch.length > 0 && bytes + blob.length > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(blob);
    bytes += blob.length;
  }
  if (batch.length > 0) yield batch;
}

function areShort(blobs: readonly Uint8Array[]): boolean {
  const { contentsInline, contentsInlineBytes } = LIMITS;
  return (
    blobs.length <= contentsInline.max && blobs.reduce((sum, { length }) => sum + length, 0) <= contentsInlineBytes.max
  );
}

function sealedContentOf(
  seal: ContentSeal | null,
  kind: ContentKind,
  clear: Uint8Array,
): { readonly stored: Uint8Array; readonly ref: BlobRef } {
  if (seal === null) return { stored: clear, ref: refOf(clear) };
  const stored = sealContent(seal, kind, clear);
  return { stored, ref: sealedRef(refOf(stored)) };
}

const refOf = (bytes: Uint8Array): BlobRef => ({ sha256: sha256Hex(bytes), size: bytes.length });
