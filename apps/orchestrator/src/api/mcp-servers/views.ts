// SPDX-License-Identifier: Apache-2.0
import { idSchema, McpConnectionView, McpServerToolView, McpServerView } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, listOf } from '../../edge/requests/fields.ts';

export const McpServerList = listOf(McpServerView);
export const McpServerToolList = listOf(McpServerToolView);
export const McpConnectionList = listOf(McpConnectionView);

/** A link to a consent. */
export const McpConnectionLink = Type.Object(
  {
    connection_id: idSchema('connection'),
    url: Type.String({ description: 'the page that the person opens in a browser' }),
    expires_at: { ...Instant, description: 'until when it is good, in milliseconds since the epoch' },
  },
  closed,
);
export type McpConnectionLink = Static<typeof McpConnectionLink>;
