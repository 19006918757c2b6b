// SPDX-License-Identifier: Apache-2.0
import { DeliveryError, DELIVERY_ERRORS } from '../../edge/outbound/delivery-error.ts';
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import type { ChannelKind, KindSettings } from '../../store/channels/channels.ts';
import type { ShownApproval } from './shown-approval.ts';

/** One message about an approval, to send or to change. */
export interface ChannelPost<K extends ChannelKind = ChannelKind> {
  readonly channel_id: string;
  readonly settings: KindSettings[K];
  /** the credential of the channel */
  readonly secret: string;
  /** what the provider returned for the message before; null: this is the first one about the approval */
  readonly reference: string | null;
  /** how many changes of the approval were reported: the same number means another attempt at the same message */
  readonly change: number;
  /** as an auditor sees it: without arguments */
  readonly approval: ShownApproval;
  /** the console's page of the approval */
  readonly link: string;
}

/** How it ended. `isPassing`: the same post may succeed later. `retryMs`: the pause that the provider asks for. */
export type PostEnd =
  | { readonly sent: true; readonly reference: string | null }
  | { readonly sent: false; readonly error: string; readonly isPassing: boolean; readonly retryMs: number | null };

/**
 * What sends to one kind of channel. The destination is attacker-controlled, because a tenant chooses it.
 *
 * Implementations MUST connect only through the egress gate, MUST follow no redirect, and MUST bound time and bytes.
 * They MUST show values of the approval as plain text, and nothing of it that `ShownApproval` doesn't have. They MUST
 * return failures instead of throwing, with a text that a tenant may read and that has nothing of the secret.
 */
export interface ChannelProvider<K extends ChannelKind = ChannelKind> {
  send(post: ChannelPost<K>): Promise<PostEnd>;
}

/** What a provider of any kind needs. */
export interface ProviderParts {
  readonly gate: EgressGate;
  /** milliseconds since the epoch */
  readonly now: () => number;
  /** the longest attempt, in milliseconds; `PROVIDER_MS` unless given */
  readonly timeoutMs?: number;
}

/** One provider for each kind. */
export type ChannelProviders = { readonly [K in ChannelKind]: ChannelProvider<K> };

/** The longest attempt, in milliseconds, from the DNS lookup to the end of the answer. */
export const PROVIDER_MS = 10_000;

/** Makes a failure of what the gate and the connection throw. */
export async function orFailed(send: () => Promise<PostEnd>): Promise<PostEnd> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return { sent: false, error: `${error.code}: ${DELIVERY_ERRORS[error.code]}`, isPassing: true, retryMs: null };
  }
}
