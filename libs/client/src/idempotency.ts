// SPDX-License-Identifier: Apache-2.0

/** A key that no other call has. It is made once for a call, and every attempt sends it. */
export const newIdempotencyKey = (): string => `client:${crypto.randomUUID()}`;
