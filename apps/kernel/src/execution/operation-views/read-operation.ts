// SPDX-License-Identifier: Apache-2.0
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/** An operation, with its result still encrypted: null for none, or one in a blob. */
export interface FoundOperation {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly row: OperationRow;
  readonly sealedResult: Buffer | null;
}

/** Reads an operation and its result in one round trip; null where it isn't the tenant's. */
export async function readOperation(
  tenants: TenantPool,
  tenantId: string,
  operationId: string,
): Promise<FoundOperation | null> {
  const found = await kernelSql.readOperation(tenants.pool, { tenant: tenantId, operation: operationId });
  if (found === null) return null;
  return {
    now: found.now,
    row: found.operation,
    sealedResult: found.result === null ? null : Buffer.from(found.result, 'base64'),
  };
}
