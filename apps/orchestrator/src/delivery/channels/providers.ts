// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { EmailProvider } from './email/email-provider.ts';
import type { ChannelProviders } from './provider.ts';
import { SlackProvider } from './slack-provider.ts';
import { TeamsProvider } from './teams-provider.ts';
import { WebhookProvider } from './webhook-provider.ts';

/**
 * The provider of each kind, whose connections go through the gate.
 * @param now milliseconds since the epoch
 */
export const providersBy = (gate: EgressGate, now: () => number): ChannelProviders => ({
  email: new EmailProvider(gate, now),
  slack: new SlackProvider(gate, now),
  teams: new TeamsProvider(gate, now),
  webhook: new WebhookProvider(gate, now),
});
