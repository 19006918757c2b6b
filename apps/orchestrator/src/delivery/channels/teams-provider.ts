// SPDX-License-Identifier: Apache-2.0
import { pinAndPost } from '../webhooks/post-message.ts';
import { endOfPost } from './end-of-post.ts';
import {
  orFailed,
  PROVIDER_MS,
  type ChannelPost,
  type ChannelProvider,
  type PostEnd,
  type ProviderParts,
} from './provider.ts';
import { stepOf } from './step.ts';
import { teamsMessageOf } from './teams-card.ts';

/**
 * Posts cards to a workflow of Teams ("When a Teams webhook request is received"), which answers 202 without a body.
 * The secret is the whole URL, because it holds the signature that the workflow checks.
 */
export const teamsProvider = ({ gate, now, timeoutMs = PROVIDER_MS }: ProviderParts): ChannelProvider<'teams'> => ({
  async send({ secret: url, reference, approval, link }: ChannelPost<'teams'>): Promise<PostEnd> {
    const step = stepOf(approval, reference);
    if (step === null) return { sent: true, reference };
    const body = JSON.stringify(teamsMessageOf(approval, step.kind, link));
    return await orFailed(async () => {
      const answer = await pinAndPost(gate, url, { headers: {}, body }, AbortSignal.timeout(timeoutMs));
      return endOfPost('teams', answer, { reference: step.next, now: now() });
    });
  },
});
