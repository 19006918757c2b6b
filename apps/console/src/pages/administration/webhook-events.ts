// SPDX-License-Identifier: Apache-2.0
import type { WebhookEvent } from '@writ/client/web';

/** Every kind of message. The type makes the compiler refuse this table when the API has another kind. */
const EVENTS: Readonly<Record<WebhookEvent, true>> = {
  'approval.pending': true,
  'approval.voted': true,
  'approval.escalated': true,
  'approval.reminder': true,
  'approval.approved': true,
  'approval.denied': true,
  'approval.expired': true,
  'approval.cancelled': true,
  'approval.superseded': true,
  'operation.ambiguous': true,
  'operation.resolved': true,
  'mcp_server.tools_new': true,
  'mcp_server.tools_changed': true,
  'mcp_server.tools_gone': true,
  'mcp_server.failing': true,
  'mcp_server.recovered': true,
  'run.finished': true,
};

export const WEBHOOK_EVENTS = Object.keys(EVENTS) as readonly WebhookEvent[];
