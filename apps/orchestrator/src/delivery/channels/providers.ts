// SPDX-License-Identifier: Apache-2.0
import { emailProvider } from './email/email-provider.ts';
import type { ChannelProviders, ProviderParts } from './provider.ts';
import { slackProvider } from './slack-provider.ts';
import { teamsProvider } from './teams-provider.ts';
import { webhookProvider } from './webhook-provider.ts';

/** The provider of each kind, whose connections go through the gate. */
export const providersBy = (parts: ProviderParts): ChannelProviders => ({
  email: emailProvider(parts),
  slack: slackProvider(parts),
  teams: teamsProvider(parts),
  webhook: webhookProvider(parts),
});
