// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Budgets } from '@writ/contract';
import type { TokenAccount } from '@writ/capability';
import { callKernel, tokenOf, type FreezeRow, type OperationRow, type TenantPool, type TokenRow } from '../store/index.ts';
import type { CallFacts, Claim, JudgedCall } from './call.ts';
import { readVersions } from './versions.ts';

/** A token with its budgets, as kernel.facts gives it. */
type AccountRow = TokenRow & { readonly budgets: Readonly<Record<string, { readonly reserved: number; readonly used: number }>> };

interface FactRows {
  readonly now: number;
  readonly existing: OperationRow | null;
  readonly claim: Claim | null;
  readonly chain: readonly AccountRow[];
  readonly agent: boolean;
  readonly head: string | null;
  readonly frozen: FreezeRow | null;
  readonly outbox_oldest: number | null;
  readonly outbox_rows: number;
}

/** Reads what a call is judged on, in one round trip, within its tenant; the versions of resources in one more, for a call that relies on them. */
export async function readFacts(tenants: TenantPool, call: JudgedCall): Promise<CallFacts> {
  const versions = await readVersions(tenants, call);
  const rows = await callKernel<FactRows>(tenants.pool, 'facts', [
    call.tenant_id, call.operation_id, call.agent_id, call.tool_id, call.idempotency_key, call.capability_token_id, call.workspace_id, LIMITS.outboxRows.max,
  ]);
  return {
    now: rows.now,
    existing: rows.existing,
    claim: rows.claim,
    chain: rows.chain.map(accountOf),
    agent: rows.agent,
    head: rows.head,
    frozen: rows.frozen,
    versions,
    outbox: { oldest: rows.outbox_oldest, rows: rows.outbox_rows },
  };
}

function accountOf(row: AccountRow): TokenAccount {
  return { token: tokenOf(row), used: column(row, 'used'), reserved: column(row, 'reserved') };
}

function column(row: AccountRow, which: 'used' | 'reserved'): Budgets {
  return Object.fromEntries(Object.entries(row.budgets).map(([dimension, amounts]) => [dimension, amounts[which]]));
}
