// SPDX-License-Identifier: Apache-2.0
import { orFailed, type ChannelPost, type ChannelProvider, type PostEnd, type ProviderParts } from '../provider.ts';
import { stepOf } from '../step.ts';
import { mailOf } from './mail-of.ts';
import { sendBySmtp, SmtpRefusal } from './smtp.ts';

/** Longer than HTTP gets: servers delay their greeting on purpose. */
const EMAIL_MS = 20_000;

/** Sends a mail for each step of an approval, in one thread. */
export const emailProvider = ({ gate, now, timeoutMs = EMAIL_MS }: ProviderParts): ChannelProvider<'email'> => ({
  async send(post: ChannelPost<'email'>): Promise<PostEnd> {
    const { channel_id, settings, secret: password, reference, approval, link } = post;
    const step = stepOf(approval, reference);
    if (step === null) return { sent: true, reference };
    const { from, to } = settings;
    const bytes = await mailOf(approval, step, { channel_id, from, to, link, date: new Date(now()) });
    const name = new URL(link).hostname;
    return await orFailed(async () => {
      try {
        await sendBySmtp(gate, { settings, password, name, bytes }, timeoutMs);
        return { sent: true, reference: step.next };
      } catch (error) {
        if (!(error instanceof SmtpRefusal)) throw error;
        return { sent: false, error: `smtp: status ${error.code}`, isPassing: error.code < 500, retryMs: null };
      }
    });
  },
});
