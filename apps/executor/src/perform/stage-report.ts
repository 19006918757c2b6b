// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type BlobRef, type Delta, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { Staged } from '../runners/runner.ts';
import type { Report } from '../support/kernel-client.ts';

/**
 * Resolves with the report. Short contents travel in it, and the kernel stores them with the effect; whatever is too long for a message is stored before
 * anything names it.
 */
export async function stageReport(staged: Staged, tenantId: string, blobs: BlobStore): Promise<Report> {
  const result = canonicalBytes(staged.result ?? null);
  const delta = staged.delta === null ? null : canonicalBytes(staged.delta);
  const longResult = result.length > LIMITS.resultInlineBytes.max;
  const longDelta = delta !== null && delta.length > LIMITS.deltaInlineBytes.max;
  const travel = areShort(staged.blobs);
  const requests = staged.requests ?? [];
  const list = canonicalBytes(requests);
  const longList = list.length > LIMITS.requestsInlineBytes.max;
  const stored = [...(travel ? [] : staged.blobs), ...(longList ? [list] : []), ...(longResult ? [result] : []), ...(longDelta ? [delta] : [])];
  if (stored.length > 0) await blobs.putMany(tenantId as TenantId, stored);
  return {
    ended: staged.ended,
    exit_code: staged.exitCode,
    error: staged.error,
    delta: longDelta ? null : (staged.delta as Delta | null),
    delta_ref: longDelta ? refOf(delta) : null,
    contents: travel ? staged.blobs.map((bytes) => Buffer.from(bytes).toString('base64')) : [],
    result: longResult ? null : (staged.result ?? null),
    result_ref: longResult ? refOf(result) : null,
    result_hash: sha256Hex(result),
    requests: longList ? [] : [...requests],
    requests_ref: longList ? refOf(list) : null,
    usage: staged.usage,
    ...(staged.outputRefs === undefined ? {} : { output_refs: staged.outputRefs }),
  };
}

function areShort(blobs: readonly Uint8Array[]): boolean {
  const { contentsInline, contentsInlineBytes } = LIMITS;
  return blobs.length <= contentsInline.max && blobs.reduce((sum, { length }) => sum + length, 0) <= contentsInlineBytes.max;
}

const refOf = (bytes: Uint8Array): BlobRef => ({ sha256: sha256Hex(bytes), size: bytes.length });
