// SPDX-License-Identifier: Apache-2.0
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { pinAndPost } from '../webhooks/post-message.ts';
import { endOfPost } from './end-of-post.ts';
import { orFailed, PROVIDER_MS, type ChannelPost, type ChannelProvider, type PostEnd } from './provider.ts';
import { stepOf } from './step.ts';
import { teamsMessageOf } from './teams-card.ts';

/**
 * Posts cards to a workflow of Teams ("When a Teams webhook request is received"), which answers 202 without a body.
 * The secret is the whole URL, because it holds the signature that the workflow checks.
 */
export class TeamsProvider implements ChannelProvider<'teams'> {
  readonly #gate: EgressGate;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  /** @param now milliseconds since the epoch */
  constructor(gate: EgressGate, now: () => number, timeoutMs: number = PROVIDER_MS) {
    this.#gate = gate;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  async send({ secret: url, reference, approval, link }: ChannelPost<'teams'>): Promise<PostEnd> {
    const step = stepOf(approval, reference);
    if (step === null) return { sent: true, reference };
    const body = JSON.stringify(teamsMessageOf(approval, step.kind, link));
    return await orFailed(async () => {
      const answer = await pinAndPost(this.#gate, url, { headers: {}, body }, AbortSignal.timeout(this.#timeoutMs));
      return endOfPost('teams', answer, { reference: step.next, now: this.#now() });
    });
  }
}
