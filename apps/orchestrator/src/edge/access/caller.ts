// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import type { FastifyRequest } from 'fastify';

/** Who asks, by request; written by the guard alone. */
const CALLERS = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  CALLERS.set(request, caller);
}

/** Null for what needs no tenant's key, and before the guard has spoken. */
export function callerOf(request: FastifyRequest): Caller | null {
  return CALLERS.get(request) ?? null;
}
