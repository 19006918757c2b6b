// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type BlobRef, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, JsonError, parseIJson } from '@writ/digest';
import { refusal, type Arguments, type Refusal } from './call.ts';

/** Arguments as they came: by value, or by reference to a blob that was put first. */
export interface SentArguments {
  readonly tenant_id: TenantId;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly args_ref: BlobRef | null;
}

/**
 * Reads attacker-controlled arguments: an object of I-JSON of bounded size and depth, or a refusal that says where it isn't.
 * Faults only where our own store fails.
 */
export async function readArguments(blobs: BlobStore, sent: SentArguments): Promise<Arguments | Refusal> {
  if ((sent.args === null) === (sent.args_ref === null)) {
    return refusal('args.invalid', 'arguments are needed, either as `args` or as `args_ref`');
  }
  try {
    return sent.args_ref === null ? inline(sent.args) : await byReference(blobs, sent.tenant_id, sent.args_ref);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return refusal(error.reason === 'too_large' ? 'args.too_large' : 'args.invalid', error.message);
  }
}

function inline(value: SentArguments['args']): Arguments | Refusal {
  const canonical = canonicalBytes(value);
  if (canonical.byteLength > LIMITS.argsInlineBytes.max) {
    return refusal('args.too_large', `arguments by value take at most ${LIMITS.argsInlineBytes.max} bytes`, 'send them as `args_ref`');
  }
  return asObject(value, canonical, null);
}

async function byReference(blobs: BlobStore, tenantId: TenantId, ref: BlobRef): Promise<Arguments | Refusal> {
  if (ref.size > LIMITS.argsBytes.max) return refusal('args.too_large', `arguments take at most ${LIMITS.argsBytes.max} bytes`);
  const bytes = await blobOf(blobs, tenantId, ref.sha256);
  // The size is the caller's word; a longer blob must not get past the bound above.
  if (bytes?.byteLength !== ref.size) return refusal('args.invalid', 'there is no content of that hash and size for `args_ref`', 'put it first');
  const value = parseIJson(bytes, { depthMax: LIMITS.argsDepth.max, bytesMax: LIMITS.argsBytes.max });
  return asObject(value, canonicalBytes(value), ref);
}

async function blobOf(blobs: BlobStore, tenantId: TenantId, sha256: string): Promise<Uint8Array | null> {
  try {
    return await blobs.get(tenantId, sha256);
  } catch (error) {
    if (error instanceof Fault && error.code === 'blob.missing') return null;
    throw error;
  }
}

function asObject(value: unknown, canonical: Uint8Array, ref: BlobRef | null): Arguments | Refusal {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refusal('args.invalid', 'arguments are a JSON object');
  if (isDeeper(value, LIMITS.argsDepth.max)) return refusal('args.invalid', `arguments nest at most ${LIMITS.argsDepth.max} levels deep`);
  return { value: value as Record<string, unknown>, canonical, ref };
}

/** Answers whether objects and arrays nest more than `levels` deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
