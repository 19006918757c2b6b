// SPDX-License-Identifier: Apache-2.0
import { Fault, IdempotencyKey, parseMessage } from '@writ/contract';

/**
 * The idempotency key of a request: of its body, or of the header `Idempotency-Key`, which is attacker-controlled. Null
 * where there is none. @throws Fault `request.malformed` for a header that is no key, or that differs from the body's
 */
export function idempotencyKeyOf(
  body: { readonly idempotency_key?: string },
  header: string | undefined,
): string | null {
  if (header === undefined) return body.idempotency_key ?? null;
  const key = parseMessage(IdempotencyKey, header);
  if (body.idempotency_key !== undefined && body.idempotency_key !== key) {
    throw new Fault('request.malformed', '`idempotency_key` and the header `Idempotency-Key` differ', {
      pointer: '/idempotency_key',
    });
  }
  return key;
}
