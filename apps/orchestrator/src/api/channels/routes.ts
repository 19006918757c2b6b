// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import {
  EmailDestination,
  EmailDestinationChange,
  TeamsDestination,
  WebhookDestination,
} from './destination-schemas.ts';
import { ChannelKind, ChannelList, ChannelState, ChannelView } from './views.ts';

const shared = { tag: 'channels', path: '/v1/channels' } as const;
const one = { tag: 'channels', path: '/v1/channels/{channel_id}', params: { channel_id: 'channel' } } as const;
const READER_ROLES = ['admin', 'operator', 'auditor'] as const;

const slack = {
  conversation: Type.String({
    pattern: '^[CGD][A-Z0-9]{2,31}$',
    description: "the id of Slack's channel, such as `C0123456789`: Slack shows it in the channel's details",
  }),
  bot_token: Type.String({
    pattern: '^xoxb-[A-Za-z0-9-]{8,250}$',
    writeOnly: true,
    description: 'the token of the bot, `xoxb-…`, with the scope `chat:write`: it is never shown',
  }),
  api_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: "`https://slack.com/api` unless given; of Slack's service for governments another one",
    }),
  ),
};
export const SlackSettings = Type.Object(slack, closed);
export const SlackChange = Type.Object(
  {
    conversation: Type.Optional(slack.conversation),
    bot_token: Type.Optional(slack.bot_token),
    api_url: slack.api_url,
  },
  { ...closed, description: 'another `api_url` takes the `bot_token`, too' },
);

/** Channels: conversations in which people are asked for approvals. */
export const CHANNELS = {
  list: route({
    ...shared,
    id: 'listChannels',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the channels, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of channels, without their tokens', schema: ChannelList } },
  }),
  create: route({
    ...shared,
    id: 'createChannel',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Creates a channel, in which messages about approvals appear from now on',
    body: Type.Object(
      {
        ...{ name: Name, kind: ChannelKind },
        slack: Type.Optional(SlackSettings),
        webhook: Type.Optional(WebhookDestination),
        teams: Type.Optional(TeamsDestination),
        email: Type.Optional(EmailDestination),
      },
      { ...closed, description: 'it has the settings of its `kind`, and of no other' },
    ),
    answers: { 201: { description: 'The channel', schema: ChannelView } },
    faults: ['conflict', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readChannel',
    tagged: 'view',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Shows a channel',
    answers: { 200: { description: 'The channel', schema: ChannelView } },
    faults: ['not_found'],
  }),
  change: route({
    ...one,
    id: 'changeChannel',
    tagged: 'view',
    method: 'PATCH',
    allowed: ['admin'],
    summary: 'Changes what is given of a channel, disables it or enables it again',
    body: Type.Object(
      {
        ...{ name: Type.Optional(Name), state: Type.Optional(ChannelState) },
        slack: Type.Optional(SlackChange),
        webhook: Type.Optional(WebhookDestination),
        teams: Type.Optional(TeamsDestination),
        email: Type.Optional(EmailDestinationChange),
      },
      closed,
    ),
    answers: { 200: { description: 'The channel', schema: ChannelView } },
    faults: ['not_found'],
  }),
  remove: route({
    ...one,
    id: 'deleteChannel',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Deletes a channel; messages that were sent stay where they are',
    answers: { 200: { description: 'The deleted channel', schema: ChannelView } },
    faults: ['not_found'],
  }),
};
