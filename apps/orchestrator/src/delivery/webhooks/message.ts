// SPDX-License-Identifier: Apache-2.0
import type { Notice } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { Message } from '../../store/webhooks/deliveries.ts';

/** The kind of test messages. They are sent only on request, so webhooks cannot subscribe to it. */
const PING = 'webhook.ping';

const bodyOf = (type: string, at: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });

/** A notice as a message of Standard Webhooks. Its id is the notice's, for every webhook. */
export function messageOf(notice: Notice): Message {
  const { notice_id, tenant_id: _tenant, kind, created_at, ...rest } = notice;
  const data = 'mcp_server' in rest ? rest.mcp_server : rest;
  return { message_id: notice_id, kind, body: bodyOf(kind, created_at, data) };
}

/** A test message without content. `now` in milliseconds since the epoch. */
export function pingOf(webhookId: string, now: number): Message {
  return { message_id: newId('notice'), kind: PING, body: bodyOf(PING, now, { webhook_id: webhookId }) };
}
