// SPDX-License-Identifier: Apache-2.0
import type { DeliveryClaim, DeliveryEnd, OpenDelivery } from '../../store/webhooks/deliveries.ts';
import { DeliveryError, DELIVERY_ERRORS } from '../../edge/outbound/delivery-error.ts';
import type { EgressGate } from '../../edge/outbound/egress-gate.ts';
import { pinAndPost, type PostAnswer } from './post-message.ts';
import { retryAfterMs, retryMs } from './retry-schedule.ts';
import type { WebhookSecrets } from './secrets.ts';

const GONE = 410;

export interface AttemptParts {
  readonly gate: EgressGate;
  readonly secrets: WebhookSecrets;
  /** milliseconds from the DNS lookup to the headers of the response */
  readonly attemptMs: number;
  /** milliseconds since the epoch */
  readonly now: () => number;
  /** a random number from [0, 1) */
  readonly chance: () => number;
}

/**
 * Attempts one delivery and returns how it ended. Rejects with `signal`'s reason when it aborts: the result is then
 * unknown, and the delivery is attempted again.
 */
export async function attempt(
  parts: AttemptParts,
  { tenant_id }: Pick<DeliveryClaim, 'tenant_id'>,
  delivery: OpenDelivery,
  signal: AbortSignal,
): Promise<DeliveryEnd> {
  try {
    const answer = await send(parts, tenant_id, delivery, signal);
    if (answer.status >= 200 && answer.status < 300) return { arrived: true, status: answer.status };
    return failedAttempt(parts, delivery, answer, 'status');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DeliveryError) return failedAttempt(parts, delivery, null, error.code);
    throw error;
  }
}

async function send(
  { gate, secrets, attemptMs, now }: AttemptParts,
  tenantId: string,
  { url, webhook_id, secrets: sealed, message_id, body }: OpenDelivery,
  stop: AbortSignal,
): Promise<PostAnswer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]);
  const headers = headersOf(() =>
    secrets.headers({ tenant_id: tenantId, webhook_id }, sealed, { message_id, body }, now()),
  );
  return await pinAndPost(gate, url, { headers, body }, signal);
}

function headersOf(sign: () => Record<string, string>): Record<string, string> {
  try {
    return sign();
  } catch (cause) {
    throw new DeliveryError('secret.unreadable', { cause });
  }
}

function failedAttempt(
  { now, chance }: AttemptParts,
  { attempts }: OpenDelivery,
  answer: PostAnswer | null,
  code: DeliveryError['code'],
): DeliveryEnd {
  const requestedMs = retryAfterMs(answer?.retryAfter, now());
  return {
    arrived: false,
    status: answer?.status ?? null,
    error: `${code}: ${DELIVERY_ERRORS[code]}`,
    retryMs: retryMs(attempts + 1, chance(), requestedMs),
    disable: answer?.status === GONE,
  };
}
