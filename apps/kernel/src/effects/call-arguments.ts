// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseIJson, parseJson } from '@writ/digest';
import { openArguments, type TenantVault } from '../payload/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';

/** The arguments that the attempt was given, in clear: as they were admitted, never as an executor reports them. None once they were erased. */
export async function callArguments(vault: TenantVault, blobs: BlobStore, { operation, args, args_ref }: Pick<AttemptFacts, 'operation' | 'args' | 'args_ref'>): Promise<Readonly<Record<string, unknown>>> {
  if (args !== null) {
    const clear = await vault.calls.open(operation.tenant_id, operation.operation_id, 'args', args);
    return clear === null ? {} : parseJson(clear.toString('utf8')) as Record<string, unknown>;
  }
  const bytes = args_ref === null ? null : await openArguments(vault.calls, blobs, operation, args_ref);
  return bytes === null ? {} : parseIJson(bytes, { depthMax: LIMITS.argsDepth.max, bytesMax: LIMITS.argsBytes.max }) as Record<string, unknown>;
}
