// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type BlobRef, type Delta, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { Staged } from '../runners/runner.ts';
import type { Report } from '../support/kernel-client.ts';

/** Stores what the effect names and what is too long for a message, all before anything names it. Resolves with the report. */
export async function stageReport(staged: Staged, tenantId: string, blobs: BlobStore): Promise<Report> {
  const result = canonicalBytes(staged.result ?? null);
  const delta = staged.delta === null ? null : canonicalBytes(staged.delta);
  const longResult = result.length > LIMITS.resultInlineBytes.max;
  const longDelta = delta !== null && delta.length > LIMITS.deltaInlineBytes.max;
  const stored = [...staged.blobs, ...(longResult ? [result] : []), ...(longDelta ? [delta] : [])];
  if (stored.length > 0) await blobs.putMany(tenantId as TenantId, stored);
  return {
    ended: staged.ended,
    exit_code: staged.exitCode,
    error: staged.error,
    delta: longDelta ? null : (staged.delta as Delta | null),
    delta_ref: longDelta ? refOf(delta) : null,
    result: longResult ? null : (staged.result ?? null),
    result_ref: longResult ? refOf(result) : null,
    result_hash: sha256Hex(result),
    requests: [],
    usage: staged.usage,
  };
}

const refOf = (bytes: Uint8Array): BlobRef => ({ sha256: sha256Hex(bytes), size: bytes.length });
