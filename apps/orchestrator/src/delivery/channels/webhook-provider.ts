// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { pinAndPost } from '../webhooks/post-message.ts';
import { secretOfText, signedHeaders } from '../webhooks/secrets.ts';
import { orFailed, PROVIDER_MS, type ChannelPost, type ChannelProvider, type PostEnd } from './provider.ts';
import { endOfPost } from './end-of-post.ts';
import { digestOf, GROUPS_MAX, plain } from './shown-approval.ts';

const TYPE = 'approval.changed';

/**
 * Posts each change of an approval as a message of Standard Webhooks, for a program that asks people elsewhere. A
 * message that is attempted again has the same id.
 */
export class WebhookProvider implements ChannelProvider<'webhook'> {
  readonly #gate: EgressGate;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  /** @param now milliseconds since the epoch */
  constructor(gate: EgressGate, now: () => number, timeoutMs: number = PROVIDER_MS) {
    this.#gate = gate;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  send(post: ChannelPost<'webhook'>): Promise<PostEnd> {
    const [now, body] = [this.#now(), bodyOf(post, this.#now())];
    const message_id = `${post.channel_id}.${post.approval.approval_id}.${post.change}`;
    const headers = signedHeaders([secretOfText(post.secret)], { message_id, body }, now);
    return orFailed(async () => {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      const answer = await pinAndPost(this.#gate, post.settings.url, { headers, body }, signal);
      return endOfPost('webhook', answer, { reference: message_id, now });
    });
  }
}

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
