// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { orFailed, PROVIDER_MS, type ChannelPost, type ChannelProvider, type PostEnd } from './provider.ts';
import { sendToSlack } from './slack-api.ts';
import { slackMessageOf } from './slack-message.ts';

/** Posts one message for each approval to a conversation at Slack, and changes it from then on. */
export class SlackProvider implements ChannelProvider<'slack'> {
  readonly #gate: EgressGate;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  /** @param now milliseconds since the epoch */
  constructor(gate: EgressGate, now: () => number, timeoutMs: number = PROVIDER_MS) {
    this.#gate = gate;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  send({ settings, secret: token, reference, approval, link }: ChannelPost<'slack'>): Promise<PostEnd> {
    const { api_url, conversation } = settings;
    const content = slackMessageOf(approval, link);
    const request = { api_url, token, destination: conversation, reference, content };
    return orFailed(async () => {
      const answer = await sendToSlack(this.#gate, request, { now: this.#now(), timeoutMs: this.#timeoutMs });
      if (answer.ok) return { sent: true, reference: answer.reference };
      const { error, isPassing, retryMs } = answer;
      return { sent: false, error: `slack: ${error}`, isPassing, retryMs };
    });
  }
}
