// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type BlobRef, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, JsonError, parseIJson } from '@writ/digest';
import { ARGUMENTS_ATTEMPT, openContent, SEAL_BYTES } from '@writ/nest-kit';
import { refusal, type Arguments, type Refusal } from './call.ts';

/** Arguments as they came: by value, or by reference to a blob that was put first. */
export interface SentArguments {
  readonly tenant_id: TenantId;
  readonly operation_id: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly args_ref: BlobRef | null;
  /** what the blob is sealed under; absent: it is as it is */
  readonly args_key?: Buffer | undefined;
}

/**
 * Reads attacker-controlled arguments: an object of I-JSON of bounded size and depth, or a refusal that says where it isn't.
 * Faults only where our own store fails.
 */
export async function readArguments(blobs: BlobStore, sent: SentArguments): Promise<Arguments | Refusal> {
  if ((sent.args === null) === (sent.args_ref === null)) {
    return refusal('args.invalid', 'arguments are needed, either as `args` or as `args_ref`');
  }
  return sent.args_ref === null ? unlessMalformed(() => inline(sent.args)) : await byReference(blobs, sent, sent.args_ref);
}

/** Arguments that came by reference, of their bytes. */
export function argumentsOfBytes(bytes: Uint8Array, ref: BlobRef): Arguments | Refusal {
  return unlessMalformed(() => {
    const value = parseIJson(bytes, { depthMax: LIMITS.argsDepth.max, bytesMax: LIMITS.argsBytes.max });
    return asObject(value, canonicalBytes(value), ref);
  });
}

function unlessMalformed(read: () => Arguments | Refusal): Arguments | Refusal {
  try {
    return read();
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

async function byReference(blobs: BlobStore, sent: SentArguments, ref: BlobRef): Promise<Arguments | Refusal> {
  if (ref.size > LIMITS.argsBytes.max) return refusal('args.too_large', `arguments take at most ${LIMITS.argsBytes.max} bytes`);
  const stored = await blobOf(blobs, sent.tenant_id, ref.sha256);
  // The size is the caller's word; a longer blob must not get past the bound above.
  if (stored?.byteLength !== ref.size + (sent.args_key === undefined ? 0 : SEAL_BYTES)) return refusal('args.invalid', 'there is no content of that hash and size for `args_ref`', 'put it first');
  const bytes = opened(sent, stored);
  return bytes === null ? refusal('args.invalid', 'the content of `args_ref` is not sealed as the arguments of this call under `args_key`') : argumentsOfBytes(bytes, ref);
}

function opened({ tenant_id, operation_id, args_key }: SentArguments, stored: Uint8Array): Uint8Array | null {
  if (args_key === undefined) return stored;
  try {
    return openContent({ key: args_key, tenantId: tenant_id, operationId: operation_id, attempt: ARGUMENTS_ATTEMPT }, 'args', stored);
  } catch (error) {
    if (error instanceof Fault && error.code === 'blob.corrupt') return null;
    throw error;
  }
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
