// SPDX-License-Identifier: Apache-2.0
import { Fault, type ApprovalView, type Caller } from '@writ/contract';
import { UnopenableError } from '@writ/sealing';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { ChannelClaim, ChannelMessages, MessageEnd, OpenMessage } from '../../store/channels/channel-messages.ts';
import { CHANNEL_KINDS, settingsOf } from '../../store/channels/channels.ts';
import { retryMs } from '../webhooks/retry-schedule.ts';
import type { ChannelSecrets } from './channel-secrets.ts';
import type { ChannelProvider, ChannelProviders } from './provider.ts';

/** Concurrent attempts by one replica. */
const AT_ONCE_MAX = 32;
/** Concurrent attempts for one tenant, over all replicas. Slack takes about one message a second per conversation. */
const TENANT_MAX = 4;
/** A claim outlasts its attempt, which takes ten seconds for the kernel and twenty for the provider at most. */
const CLAIM_MS = 60_000;

export interface SendDueParts {
  readonly kernel: Pick<KernelClient, 'ask'>;
  readonly messages: ChannelMessages;
  readonly providers: ChannelProviders;
  readonly secrets: ChannelSecrets;
  /** the public URL, without a slash at its end */
  readonly url: string;
  /** a random number from [0, 1) */
  readonly chance: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Sends due messages about approvals, and changes those that were sent. What a message shows is read at the attempt, so
 * that the order in which changes are reported does not matter. A crash between a post and its record posts twice
 * where the provider has no key for that.
 */
export class SendDue {
  readonly #parts: SendDueParts;
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(parts: SendDueParts) {
    this.#parts = parts;
  }

  /** Claims due messages up to the limit, and resolves when their attempts have begun. */
  async run(): Promise<void> {
    const rows = AT_ONCE_MAX - this.#running.size;
    if (rows <= 0 || this.#isStopped) return;
    const limits = { kinds: CHANNEL_KINDS, rows, tenantMax: TENANT_MAX, claimMs: CLAIM_MS };
    for (const claim of await this.#parts.messages.claim(limits)) this.#begin(claim);
  }

  /** Resolves when no attempt is in progress. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Begins no further attempt, and resolves when those in progress have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  #begin(claim: ChannelClaim): void {
    const running = this.#attempt(claim)
      .catch((error: unknown) => this.#parts.report(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #attempt(claim: ChannelClaim): Promise<void> {
    const { messages } = this.#parts;
    const message = await messages.open(claim);
    if (message === null) return;
    await messages.settle(claim, message.wanted, await this.#send(claim, message));
  }

  async #send({ tenant_id }: ChannelClaim, message: OpenMessage): Promise<MessageEnd> {
    const { channel_id, approval_id, reference, wanted: change } = message;
    const { secrets, url } = this.#parts;
    try {
      const approval = await this.#read(tenant_id, message);
      // Nobody is to be asked any more, and nobody was.
      if (approval.state !== 'pending' && reference === null) return { sent: true, reference: null };
      const secret = secrets.open({ tenant_id, channel_id }, message.bot_token);
      const link = `${url}/console/approvals/${approval_id}`;
      const settings = settingsOf(message);
      const end = await this.#provider(message).send({
        ...{ channel_id, settings, secret, reference, change, approval, link },
      });
      if (end.sent) return end;
      return this.#failed(message, end.error, end.isPassing, end.retryMs);
    } catch (error) {
      if (error instanceof UnopenableError)
        return this.#failed(message, 'secret.unreadable: the secret can not be opened: set it again', false);
      if (error instanceof Fault) return this.#failed(message, error.code, error.code !== 'not_found');
      throw error;
    }
  }

  /** The one of the message's kind, which takes the settings of that kind. */
  #provider({ kind }: OpenMessage): ChannelProvider {
    return this.#parts.providers[kind] as ChannelProvider;
  }

  /** As an auditor sees it: without arguments. The right is the one of whoever made the channel. */
  #read(tenant_id: string, { approval_id, created_by }: OpenMessage): Promise<ApprovalView> {
    const caller: Caller = { tenant_id, api_key_id: created_by, role: 'auditor', agent_id: null };
    return this.#parts.kernel.ask('approval.read', caller, { approval_id });
  }

  #failed({ attempts }: OpenMessage, error: string, isPassing: boolean, requestedMs: number | null = null): MessageEnd {
    const pause = isPassing ? retryMs(attempts + 1, this.#parts.chance(), requestedMs) : null;
    return { sent: false, error, retryMs: pause };
  }
}
