// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { Client } from '@writ/database';
import { newId } from '@writ/nest-kit';
import type { Message } from './webhooks/deliveries.ts';
import { RUN_FINISHED } from './webhooks/webhooks.ts';
import type { RunRow, SessionRow } from './session-rows/sessions.ts';

/**
 * Stores each message for every active webhook that subscribes to its kind, within the client's current transaction.
 * INVARIANT (once): of one message to one webhook there is one delivery.
 */
export async function fanOutMessages(client: Client, tenantId: TenantId, messages: readonly Message[]): Promise<void> {
  for (const { message_id, kind, body } of messages) {
    const { rows } = await client.query<{ webhook_id: string }>(
      `SELECT webhook_id FROM orchestrator.webhook WHERE state = 'active' AND $1 = ANY (events) ORDER BY webhook_id FOR KEY SHARE`,
      [kind],
    );
    for (const { webhook_id } of rows) {
      await client.query(
        `INSERT INTO orchestrator.delivery (delivery_id, tenant_id, webhook_id, message_id, kind, body) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (webhook_id, message_id) DO NOTHING`,
        [newId('delivery'), tenantId, webhook_id, message_id, kind, body],
      );
    }
  }
}

/**
 * The message about a run that has ended: ids and counts, never texts of the conversation.
 * @param at milliseconds since the epoch
 */
export function runFinished(run: RunRow, { agent_id, workspace_id, spawned_by }: SessionRow, at: number): Message {
  const { run_id, session_id, model, state, stopped, fault, rounds, input_tokens, cached_tokens, output_tokens, cost } =
    run;
  const data = {
    run_id,
    session_id,
    agent_id,
    workspace_id,
    spawned_by,
    model,
    state,
    stopped,
    fault,
    rounds,
    input_tokens,
    cached_tokens,
    output_tokens,
    cost,
  };
  return {
    message_id: newId('notice'),
    kind: RUN_FINISHED,
    body: JSON.stringify({ type: RUN_FINISHED, timestamp: new Date(at).toISOString(), data }),
  };
}
