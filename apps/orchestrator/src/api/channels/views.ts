// SPDX-License-Identifier: Apache-2.0
import { idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';
import { EmailDestinationView, TeamsDestinationView, WebhookDestinationView } from './destination-schemas.ts';
import { CHANNEL_KINDS } from '../../store/channels/channels.ts';

export const ChannelState = Type.Enum(['active', 'disabled']);
export const ChannelKind = Type.Enum([...CHANNEL_KINDS]);

export const SlackConversation = Type.Object(
  {
    conversation: Type.String({ description: "the id of Slack's channel" }),
    api_url: Type.String({ description: "Slack's API" }),
  },
  closed,
);

/** It has the settings of its kind, and of no other. */
export const ChannelView = Type.Object(
  {
    channel_id: idSchema('channel'),
    name: Type.String(),
    kind: ChannelKind,
    state: ChannelState,
    slack: Type.Optional(SlackConversation),
    webhook: Type.Optional(WebhookDestinationView),
    teams: Type.Optional(TeamsDestinationView),
    email: Type.Optional(EmailDestinationView),
    last_error: orNull(
      Type.String({ description: 'why the last attempt failed; null: it succeeded, or none was made' }),
    ),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it' }),
    updated_at: Instant,
  },
  closed,
);
export type ChannelView = Static<typeof ChannelView>;

export const ChannelList = listOf(ChannelView);
