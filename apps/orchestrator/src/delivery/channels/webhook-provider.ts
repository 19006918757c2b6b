// SPDX-License-Identifier: Apache-2.0
import { pinAndPost } from '../webhooks/post-message.ts';
import { secretOfText, signedHeaders } from '../webhooks/secrets.ts';
import {
  orFailed,
  PROVIDER_MS,
  type ChannelPost,
  type ChannelProvider,
  type PostEnd,
  type ProviderParts,
} from './provider.ts';
import { endOfPost } from './end-of-post.ts';
import { digestOf, GROUPS_MAX, plain } from './shown-approval.ts';

const TYPE = 'approval.changed';

/**
 * Posts each change of an approval as a message of Standard Webhooks, for a program that asks people elsewhere. A
 * message that is attempted again has the same id.
 */
export const webhookProvider = ({ gate, now, timeoutMs = PROVIDER_MS }: ProviderParts): ChannelProvider<'webhook'> => ({
  send(post: ChannelPost<'webhook'>): Promise<PostEnd> {
    const at = now();
    const body = bodyOf(post, at);
    const message_id = `${post.channel_id}.${post.approval.approval_id}.${post.change}`;
    const headers = signedHeaders([secretOfText(post.secret)], { message_id, body }, at);
    return orFailed(async () => {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await pinAndPost(gate, post.settings.url, { headers, body }, signal);
      return endOfPost('webhook', answer, { reference: message_id, now: at });
    });
  },
});

function bodyOf({ channel_id, approval, link }: ChannelPost<'webhook'>, now: number): string {
  const { approval_id, operation_id, tool_id, agent_id, of, state, votes, escalated_to = [] } = approval;
  const { expires_at, decided_at, decided_by } = approval;
  const data = {
    ...{ channel_id, approval_id, operation_id, tool_id: plain(tool_id), agent_id: plain(agent_id), of, state },
    digest: digestOf(approval),
    votes: { given: votes.given, needed: votes.needed },
    escalated_to: escalated_to.slice(0, GROUPS_MAX).map(plain),
    ...{ expires_at, decided_at, decided_by, url: link },
  };
  return JSON.stringify({ type: TYPE, timestamp: new Date(now).toISOString(), data });
}
