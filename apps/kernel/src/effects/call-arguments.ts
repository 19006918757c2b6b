// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { parseIJson, parseJson } from '@writ/digest';
import type { TenantVault } from '../payload/index.ts';
import type { AttemptFacts } from '../attempts/index.ts';

/** The arguments that the attempt was given, in clear: as they were admitted, never as an executor reports them. None once they were erased. */
export async function callArguments(vault: TenantVault, blobs: BlobStore, facts: AttemptFacts): Promise<Readonly<Record<string, unknown>>> {
  const { operation_id, tenant_id } = facts.operation;
  if (facts.args !== null) {
    const clear = await vault.calls.open(tenant_id, operation_id, 'args', facts.args);
    return clear === null ? {} : parseJson(clear.toString('utf8')) as Record<string, unknown>;
  }
  if (facts.args_ref === null) return {};
  const bytes = await blobs.get(tenant_id as TenantId, facts.args_ref.sha256);
  return parseIJson(bytes, { depthMax: LIMITS.argsDepth.max, bytesMax: LIMITS.argsBytes.max }) as Record<string, unknown>;
}
