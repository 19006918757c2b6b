// SPDX-License-Identifier: Apache-2.0
import { Fault, type CapabilityToken, type ReportRequest } from '@writ/contract';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation, Head, RulesInForce, FactRows } from '../../foundation/rows/attempt-rows.ts';
import { tokenOf } from '../../foundation/rows/token-row.ts';

/** All facts on which the end of an attempt is decided, as of one instant of the database's clock. */
export interface AttemptFacts extends SeenOperation {
  /** the whole chain, in any order that keeps parents apart from children */
  readonly chain: readonly CapabilityToken[];
  readonly head: Head;
  readonly frozen: FreezeRow | null;
  /** encrypted; null when they are a blob */
  readonly args: Buffer | null;
  readonly args_ref: ArgumentsRef | null;
  /** the tenant's rules, by which the effect is decided */
  readonly rules: RulesInForce;
}

/**
 * Reads the facts. @throws Fault `attempt.fenced` for an operation that isn't there: an executor learns nothing of
 * others' operations.
 */
export async function readAttemptFacts(
  tenants: TenantPool,
  report: Pick<ReportRequest, 'tenant_id' | 'operation_id'>,
): Promise<AttemptFacts> {
  const rows = await kernelSql.attemptFacts(tenants.pool, { tenant: report.tenant_id, operation: report.operation_id });
  if (rows === null) throw new Fault('attempt.fenced');
  return attemptFacts({ ...rows, args: rows.args === null ? null : Buffer.from(rows.args, 'base64') });
}

/** A call that got an attempt has a token and a workspace: neither is ever deleted. */
export function attemptFacts({
  now,
  operation,
  tokens,
  head,
  frozen = null,
  args,
  args_ref,
  rules,
}: FactRows): AttemptFacts {
  if (tokens === null || head === null)
    throw new Error(`operation \`${operation.operation_id}\` has an attempt without a token or a workspace`);
  return { now, operation, chain: tokens.map(tokenOf), head, frozen, args, args_ref, rules };
}
