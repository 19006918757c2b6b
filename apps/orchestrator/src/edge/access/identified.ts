// SPDX-License-Identifier: Apache-2.0
import type { Id } from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import type { PresentedKey } from '../../store/keys/api-keys.ts';

/** A caller, with what it presented and what that is good for. */
export interface Identified extends PresentedKey {
  readonly kind: 'api_key' | 'access_token' | 'exchanged_token' | 'session' | 'workload';
  /** of a workload: the only capability token of which it exchanges parts; absent: each of its agent */
  readonly exchanges?: Id<'token'> | null;
}

/** How each request's caller was identified, for who has to know more than the caller; only the guard writes it. */
const IDENTIFIED = new WeakMap<FastifyRequest, Identified>();

export function rememberIdentified(request: FastifyRequest, identified: Identified): void {
  IDENTIFIED.set(request, identified);
}

/** Null for the platform key, and for requests that need no key. */
export function identifiedOf(request: FastifyRequest): Identified | null {
  return IDENTIFIED.get(request) ?? null;
}
