// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import type { FastifyRequest } from 'fastify';

/** The caller of each request; only the guard writes it. */
const CALLERS = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  CALLERS.set(request, caller);
}

/** Null for requests that need no tenant's key, and before the guard has run. */
export function callerOf(request: FastifyRequest): Caller | null {
  return CALLERS.get(request) ?? null;
}
