// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Budgets, type CapabilityToken, type Grant } from '@writ/contract';
import type { TokenAccount } from '@writ/capability';
import { callKernel, type OperationRow, type TenantPool } from '../store/index.ts';
import type { CallFacts, Claim, JudgedCall } from './call.ts';

/** A row of kernel.token with its budgets, as kernel.facts gives it. */
interface TokenRow {
  readonly capability_token_id: string;
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly parent_id: string | null;
  readonly workspace_id: string | null;
  readonly grant_json: Grant;
  readonly issuer: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly budgets: Readonly<Record<string, { readonly reserved: number; readonly used: number }>>;
}

interface FactRows {
  readonly now: number;
  readonly existing: OperationRow | null;
  readonly claim: Claim | null;
  readonly chain: readonly TokenRow[];
  readonly agent: boolean;
  readonly head: string | null;
  readonly outbox_oldest: number | null;
  readonly outbox_rows: number;
}

/** Reads what a call is judged on, in one round trip, within its tenant. */
export async function readFacts(tenants: TenantPool, call: JudgedCall): Promise<CallFacts> {
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
    outbox: { oldest: rows.outbox_oldest, rows: rows.outbox_rows },
  };
}

function accountOf(row: TokenRow): TokenAccount {
  const token: CapabilityToken = {
    v: 1,
    capability_token_id: row.capability_token_id,
    tenant_id: row.tenant_id,
    agent_id: row.agent_id,
    parent_id: row.parent_id,
    workspace_id: row.workspace_id,
    grant: row.grant_json,
    issuer: row.issuer,
    created_at: row.created_at,
    revoked_at: row.revoked_at,
  };
  return { token, used: column(row, 'used'), reserved: column(row, 'reserved') };
}

function column(row: TokenRow, which: 'used' | 'reserved'): Budgets {
  return Object.fromEntries(Object.entries(row.budgets).map(([dimension, amounts]) => [dimension, amounts[which]]));
}
