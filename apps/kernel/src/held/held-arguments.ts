// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { canonicalBytes, parseJson } from '@writ/digest';
import { readArguments, refusal, type Arguments, type Refusal } from '../judgement/index.ts';
import type { TenantVault } from '../payload/index.ts';
import type { HeldCall } from './held-call.ts';

/** The arguments of a held call in clear, or a refusal where they were erased meanwhile. */
export async function argumentsOf(held: Pick<HeldCall, 'args' | 'args_ref'> & { readonly operation: Pick<HeldCall['operation'], 'operation_id' | 'tenant_id'> }, vault: TenantVault, blobs: BlobStore): Promise<Arguments | Refusal> {
  const { operation_id, tenant_id } = held.operation;
  if (held.args_ref !== null) return await readArguments(blobs, { tenant_id, args: null, args_ref: held.args_ref });
  const clear = held.args === null ? null : await vault.calls.open(tenant_id, operation_id, 'args', Buffer.from(held.args, 'base64'));
  if (clear === null) return refusal('args.invalid', 'the arguments of the call were erased');
  const value = parseJson(clear.toString('utf8')) as Record<string, unknown>;
  return { value, canonical: canonicalBytes(value), ref: null };
}
