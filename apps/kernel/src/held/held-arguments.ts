// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault } from '@writ/contract';
import { canonicalBytes, parseJson } from '@writ/digest';
import { argumentsOfBytes, refusal, type Arguments, type Refusal } from '../judgement/index.ts';
import { openArguments, type NamedCall, type TenantVault } from '../payload/index.ts';
import type { HeldCall } from './held-call.ts';

/** The arguments of a held call in clear, or a refusal where they were erased meanwhile. */
export async function argumentsOf({ operation, args, args_ref }: Pick<HeldCall, 'args' | 'args_ref'> & { readonly operation: NamedCall }, vault: TenantVault, blobs: BlobStore): Promise<Arguments | Refusal> {
  if (args_ref !== null) {
    const bytes = await openArguments(vault.calls, blobs, operation, args_ref).catch(missing);
    return bytes === null ? ERASED : 'effect' in bytes ? bytes : argumentsOfBytes(bytes, args_ref);
  }
  const clear = args === null ? null : await vault.calls.open(operation.tenant_id, operation.operation_id, 'args', Buffer.from(args, 'base64'));
  if (clear === null) return ERASED;
  const value = parseJson(clear.toString('utf8')) as Record<string, unknown>;
  return { value, canonical: canonicalBytes(value), ref: null };
}

function missing(error: unknown): Refusal {
  if (error instanceof Fault && error.code === 'blob.missing') return refusal('args.invalid', 'the content that holds the arguments is missing');
  throw error;
}

const ERASED = refusal('args.invalid', 'the arguments of the call were erased');
