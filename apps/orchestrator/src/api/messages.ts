// SPDX-License-Identifier: Apache-2.0
import { idSchema, McpServerNoticeData, NOTICE_KINDS, NoticeData, NOTICES } from '@writ/contract';
import { Type } from 'typebox';
import type { MessageRow } from '../edge/openapi/webhooks.ts';
import { closed, orNull } from '../edge/requests/fields.ts';
import { RUN_FINISHED } from '../store/webhooks/webhooks.ts';
import { RunView, SessionView } from './sessions/views.ts';

const { run_id, session_id, model, state, stopped, rounds, input_tokens, cached_tokens, output_tokens, cost } =
  RunView.properties;
const { agent_id, workspace_id, spawned_by } = SessionView.properties;
const fault = orNull(Type.String({ description: 'the fault code, where the model or the run failed' }));
/** The end of a run, in ids and counts. */
const RunFinished = Type.Object(
  {
    ...{ run_id, session_id, agent_id, workspace_id, spawned_by, model, state, stopped, fault },
    ...{ rounds, input_tokens, cached_tokens, output_tokens, cost },
  },
  closed,
);

const ofKind = (kind: keyof typeof NOTICES): MessageRow =>
  kind.startsWith('mcp_server.')
    ? { when: NOTICES[kind], name: 'McpServerNotice', data: McpServerNoticeData }
    : { when: NOTICES[kind], name: 'CallNotice', data: NoticeData };

/** Every message by its kind. */
export const WEBHOOK_MESSAGES: Readonly<Record<string, MessageRow>> = {
  ...Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, ofKind(kind)])),
  [RUN_FINISHED]: { when: 'a run has ended', name: 'RunFinished', data: RunFinished },
  'webhook.ping': {
    when: 'somebody asked for a test message',
    name: 'WebhookPing',
    data: Type.Object({ webhook_id: idSchema('webhook') }, closed),
  },
};
