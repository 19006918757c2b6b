// SPDX-License-Identifier: Apache-2.0
import {
  orFailed,
  PROVIDER_MS,
  type ChannelPost,
  type ChannelProvider,
  type PostEnd,
  type ProviderParts,
} from './provider.ts';
import { sendToSlack } from './slack-api.ts';
import { slackMessageOf } from './slack-message.ts';

/** Posts one message for each approval to a conversation at Slack, and changes it from then on. */
export const slackProvider = ({ gate, now, timeoutMs = PROVIDER_MS }: ProviderParts): ChannelProvider<'slack'> => ({
  send({ settings, secret: token, reference, approval, link }: ChannelPost<'slack'>): Promise<PostEnd> {
    const { api_url, conversation } = settings;
    const content = slackMessageOf(approval, link);
    const request = { api_url, token, destination: conversation, reference, content };
    return orFailed(async () => {
      const answer = await sendToSlack(gate, request, { now: now(), timeoutMs });
      if (answer.ok) return { sent: true, reference: answer.reference };
      const { error, isPassing, retryMs } = answer;
      return { sent: false, error: `slack: ${error}`, isPassing, retryMs };
    });
  },
});
