// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type UnmetNeed, type BlobRef, type Delta, type ReportRequest, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseJson, sha256Hex } from '@writ/digest';
import type { KeyedCall, TenantVault } from '../../evidence/payload/index.ts';
import type { SealedBy } from '../../foundation/rows/content-ref.ts';
import { sealedBy } from './reported-contents.ts';
import type { Contents } from './staged-effect.ts';

/**
 * The stored form of an effect that waits for a person: the whole content of its report. The delta is a blob, as every
 * committed one is.
 */
export interface StagedCall {
  readonly v: 1;
  /** the state that it ran on */
  readonly snapshot: string;
  readonly effect_digest: string;
  readonly delta_ref: BlobRef;
  readonly ended: ReportRequest['ended'];
  readonly exit_code: number | null;
  readonly result: unknown;
  readonly result_ref: BlobRef | null;
  readonly result_hash: string;
  readonly usage: ReportRequest['usage'];
  /** absent for a call from before requests were recorded */
  readonly requests?: ReportRequest['requests'];
  readonly requests_ref?: BlobRef | null;
  readonly asked_for: readonly UnmetNeed[];
  /**
   * the attempt that sealed what `result_ref` and `requests_ref` name; absent: it was staged before contents were
   * sealed
   */
  readonly sealed?: SealedBy;
}

/** A report whose effect was checked. */
export interface CheckedReport {
  readonly report: ReportRequest;
  readonly snapshot: string;
  readonly digest: string;
  /** RFC 8785 JSON of its delta */
  readonly bytes: Uint8Array;
  readonly contents: Contents;
}

/**
 * Stores what an effect names, so that nothing of it depends on an executor any more, and resolves with the sealed rest
 * of it.
 */
export async function stageCall(
  blobs: BlobStore,
  vault: TenantVault,
  call: KeyedCall,
  { report, snapshot, digest, bytes, contents }: CheckedReport,
): Promise<Buffer> {
  const tenantId = report.tenant_id as TenantId;
  await blobs.putMany(tenantId, [bytes, ...contents.values()]);
  const staged: StagedCall = {
    v: 1,
    snapshot,
    effect_digest: digest,
    delta_ref: { sha256: sha256Hex(bytes), size: bytes.byteLength },
    ended: report.ended,
    exit_code: report.exit_code,
    result: report.result,
    result_ref: report.result_ref,
    result_hash: report.result_hash,
    usage: report.usage,
    requests: report.requests,
    requests_ref: report.requests_ref ?? null,
    asked_for: report.asked_for ?? [],
    sealed: sealedBy(report),
  };
  return await vault.calls.seal(call, 'staged', Buffer.from(JSON.stringify(staged)));
}

/** What was staged, from base64 of its sealed bytes. */
export async function openStaged(
  vault: TenantVault,
  tenantId: string,
  operationId: string,
  sealed: string,
): Promise<StagedCall> {
  return parseJson(
    (await vault.calls.openLive(tenantId, operationId, 'staged', Buffer.from(sealed, 'base64'))).toString('utf8'),
  ) as StagedCall;
}

/**
 * The staged report, to be checked as it was checked then. The reporter's credentials don't matter any more: the kernel
 * itself stored it.
 */
export function reportOfStaged(tenantId: string, operationId: string, staged: StagedCall): ReportRequest {
  return {
    v: 1,
    tenant_id: tenantId,
    operation_id: operationId,
    attempt: 1,
    executor_id: '',
    nonce: '',
    ended: staged.ended,
    exit_code: staged.exit_code,
    error: null,
    delta: null,
    delta_ref: staged.delta_ref,
    contents: [],
    result: staged.result,
    result_ref: staged.result_ref,
    result_hash: staged.result_hash,
    requests: staged.requests ?? [],
    requests_ref: staged.requests_ref ?? null,
    usage: staged.usage,
  };
}

/** The delta by value where it fits a message; otherwise readers of the tenant's blobs find it by its reference. */
export async function shownDelta(blobs: BlobStore, tenantId: string, { delta_ref }: StagedCall): Promise<Delta | null> {
  if (delta_ref.size > LIMITS.deltaInlineBytes.max) return null;
  return parseJson(Buffer.from(await blobs.get(tenantId as TenantId, delta_ref.sha256)).toString('utf8')) as Delta;
}
