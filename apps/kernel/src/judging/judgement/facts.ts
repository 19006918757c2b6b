// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Budgets } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { TokenAccount } from '@writ/capability';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { readToolInForce } from '../definitions/tenant-tools.ts';
import { tokenOf } from '../../foundation/rows/token-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { AccountRow } from '../../foundation/database/functions/admission.ts';
import type { CountNeeded, PolicySets } from '../policies/policy-sets.ts';
import type { CallFacts, JudgedCall } from './call.ts';
import { pastQueryFor } from './session-past.ts';
import { readVersions } from './versions.ts';

/** The session whose past and labels count: for a call without a session, its token stands in. */
export const sessionOf = ({
  session_id,
  capability_token_id,
}: Pick<JudgedCall, 'session_id' | 'capability_token_id'>): string => session_id ?? capability_token_id;

/**
 * Reads the facts that a call is judged on, within its tenant. It takes one round trip, unless another policy is in
 * force than the last time and needs more of the session's past.
 * @throws Fault `policy.unreadable`
 */
export async function readFacts(tenants: TenantPool, policies: PolicySets, call: JudgedCall): Promise<CallFacts> {
  const needs = policies.lastOf(call.tenant_id).historyNeeds(call);
  const facts = await readFor(tenants, call, needs);
  const needed = (await policies.of(call.tenant_id, facts.rules.policy)).historyNeeds(call);
  // The statement that writes the decision finds a change of policy after this reading.
  return JSON.stringify(needed) === JSON.stringify(needs) ? facts : await readFor(tenants, call, needed);
}

/**
 * The same for a call that was already allowed to run, at `admittedAt`. It keeps its position in its session's past,
 * since the calls after it were decided with it there. `rules.history` of the result is that of then, and the database
 * asserts none of it; risk uses the session of now.
 */
export async function readFactsOfRun(
  tenants: TenantPool,
  policies: PolicySets,
  call: JudgedCall,
  admittedAt: number,
): Promise<CallFacts> {
  // What it applies was verified when it was admitted, and budgets of its period count it already.
  const facts = { ...(await readFor(tenants, call, null)), staged: null, budgets: [] };
  const needs = (await policies.of(call.tenant_id, facts.rules.policy)).historyNeeds(call);
  if (needs === null) return facts;
  const history = await inTenant(
    tenants.pool,
    call.tenant_id,
    async (client) =>
      await kernelSql.sessionHistory.in(client, {
        tenant: call.tenant_id,
        session: sessionOf(call),
        needs,
        at: admittedAt,
      }),
    { readOnly: true },
  );
  return { ...facts, needs, rules: { ...facts.rules, history } };
}

/** The family of tools of MCP servers. */
const MCP_PREFIX = 'mcp.';

async function readFor(
  tenants: TenantPool,
  call: JudgedCall,
  needs: readonly CountNeeded[] | null,
): Promise<CallFacts> {
  const versions = await readVersions(tenants, call);
  const tool = await readToolInForce(tenants, call.tenant_id, call.tool_id);
  const isOutOfForce = tool === null && call.tool_id.startsWith(MCP_PREFIX) && !call.tool_id.includes('\0');
  const mcpTool = isOutOfForce
    ? await kernelSql.mcpToolState(tenants.pool, { tenant: call.tenant_id, tool: call.tool_id })
    : null;
  const past = pastQueryFor(call.tool_id);
  const rows = await kernelSql.factsOfCall(tenants.pool, {
    tenant: call.tenant_id,
    operation: call.operation_id,
    agent: call.agent_id,
    tool: call.tool_id,
    key: call.idempotency_key,
    token: call.capability_token_id,
    workspace: call.workspace_id,
    rows_max: LIMITS.outboxRows.max,
    session: sessionOf(call),
    needs,
    past,
    proposed_by: call.proposed_by,
    person: call.proposers?.[0] ?? call.proposed_by,
  });
  return {
    needs,
    now: rows.now,
    existing: rows.existing,
    claim: rows.claim,
    chain: rows.chain.map(accountOf),
    agent: rows.agent,
    head: rows.head,
    frozen: rows.frozen,
    keyRevoked: rows.key_revoked,
    closed: rows.closed === true,
    versions,
    tool,
    ...(mcpTool === null ? {} : { mcpTool }),
    rules: rows.rules,
    past: rows.past,
    queueFull: rows.queue_full,
    backgroundQueueFull: rows.background_queue_full,
    budgets: rows.budgets ?? [],
    outbox: { oldest: rows.outbox_oldest, rows: rows.outbox_rows },
  };
}

function accountOf(row: AccountRow): TokenAccount {
  return { token: tokenOf(row), used: column(row, 'used'), reserved: column(row, 'reserved') };
}

function column(row: AccountRow, which: 'used' | 'reserved'): Budgets {
  return Object.fromEntries(Object.entries(row.budgets).map(([dimension, amounts]) => [dimension, amounts[which]]));
}
