// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { inTenant, type Pool } from '@writ/database';
import { orchestratorSql } from '../functions.ts';
import {
  ChannelMessages,
  type ApprovalChange,
  type ChannelClaim,
  type ClaimLimits,
  type MessageEnd,
  type MessageRow,
  type OpenMessage,
} from './channel-messages.ts';

/** Rows that one call deletes; the next call follows soon. */
const PRUNE_ROWS = 1_000;

/** A message whose attempts failed keeps its pause: a change does not let it press a provider that asked for one. */
const RAISED = `wanted = m.wanted + 1, state = 'pending', attempts = CASE WHEN m.state = 'pending' THEN m.attempts ELSE 0 END,
  next_at = CASE WHEN m.state = 'pending' THEN m.next_at ELSE orchestrator.now_ms() END, updated_at = orchestrator.now_ms()`;
const ASKED = `INSERT INTO orchestrator.channel_message AS m (channel_id, approval_id, tenant_id)
  SELECT c.channel_id, $1, $2 FROM orchestrator.channel c WHERE c.state = 'active' ORDER BY c.channel_id FOR KEY SHARE
  ON CONFLICT (channel_id, approval_id) DO UPDATE SET ${RAISED}`;
const CHANGED = `UPDATE orchestrator.channel_message m SET ${RAISED} WHERE m.approval_id = $1 AND m.tenant_id = $2`;

const OPEN = `SELECT m.channel_id, m.approval_id, m.reference, m.wanted, m.attempts,
    c.kind, c.destination, c.api_url, c.settings, c.bot_token, c.created_by
  FROM orchestrator.channel_message m JOIN orchestrator.channel c ON c.channel_id = m.channel_id
  WHERE m.channel_id = $1 AND m.approval_id = $2 AND m.claimed_until = $3 AND m.claimed_until > orchestrator.now_ms()
    AND m.state = 'pending' AND c.state = 'active'`;

const SETTLED = `UPDATE orchestrator.channel_message SET
    sent = CASE WHEN $4 THEN $5::integer ELSE sent END, reference = CASE WHEN $4 THEN $6 ELSE reference END,
    state = CASE WHEN wanted > $5::integer THEN 'pending' WHEN $4 THEN 'sent' WHEN $7::bigint IS NULL THEN 'failed' ELSE 'pending' END,
    attempts = CASE WHEN $4 THEN 0 ELSE attempts + 1 END, next_at = orchestrator.now_ms() + coalesce($7::bigint, 0),
    last_error = $8, claimed_until = 0, updated_at = orchestrator.now_ms()
  WHERE channel_id = $1 AND approval_id = $2 AND claimed_until = $3 AND claimed_until > orchestrator.now_ms()
    AND state = 'pending' RETURNING 1`;

/**
 * orchestrator.channel_message. Row-level security shows only the tenant's rows. A function finds due messages of all
 * tenants and returns only ids.
 */
export class PgChannelMessages extends ChannelMessages {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super();
    this.#pool = pool;
  }

  override note(tenantId: TenantId, changes: readonly ApprovalChange[]): Promise<void> {
    // In one order, so that two replicas wait for each other instead of blocking each other.
    const sorted = changes.toSorted((a, b) => (a.approval_id < b.approval_id ? -1 : 1));
    return inTenant(this.#pool, tenantId, async (client) => {
      for (const { approval_id, asks } of sorted) await client.query(asks ? ASKED : CHANGED, [approval_id, tenantId]);
    });
  }

  override async claim({ kinds, rows, ...limits }: ClaimLimits): Promise<ChannelClaim[]> {
    const { tenantMax: tenant_max, claimMs: claim_ms } = limits;
    return await orchestratorSql.claimMessagesOfKinds(this.#pool, { kinds: [...kinds], rows, tenant_max, claim_ms });
  }

  override open({ tenant_id, channel_id, approval_id, claim }: ChannelClaim): Promise<OpenMessage | null> {
    const values = [channel_id, approval_id, claim];
    return inTenant(
      this.#pool,
      tenant_id,
      async (client) => (await client.query<OpenMessage>(OPEN, values)).rows[0] ?? null,
      { readOnly: true },
    );
  }

  override settle(
    { tenant_id, channel_id, approval_id, claim }: ChannelClaim,
    shown: number,
    end: MessageEnd,
  ): Promise<void> {
    const [reference, retryMs, error] = end.sent ? [end.reference, null, null] : [null, end.retryMs, end.error];
    const values = [channel_id, approval_id, claim, end.sent, shown, reference, retryMs, error];
    return inTenant(this.#pool, tenant_id, async (client) => {
      if ((await client.query(SETTLED, values)).rowCount === 0) return;
      await client.query(
        'UPDATE orchestrator.channel SET last_error = $2 WHERE channel_id = $1 AND last_error IS DISTINCT FROM $2',
        [channel_id, error],
      );
    });
  }

  override of(tenantId: TenantId, approvalId: string): Promise<MessageRow[]> {
    const sql = `SELECT channel_id, approval_id, wanted, sent, reference, state, attempts, last_error
      FROM orchestrator.channel_message WHERE approval_id = $1 ORDER BY channel_id`;
    return inTenant(this.#pool, tenantId, async (client) => (await client.query<MessageRow>(sql, [approvalId])).rows, {
      readOnly: true,
    });
  }

  override async prune(olderMs: number): Promise<number> {
    return await orchestratorSql.pruneChannelMessages(this.#pool, { older_ms: olderMs, rows: PRUNE_ROWS });
  }
}
