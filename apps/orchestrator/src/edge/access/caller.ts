// SPDX-License-Identifier: Apache-2.0
import type { Caller } from '@writ/contract';
import type { FastifyRequest } from 'fastify';

/** What a request presents. The guard has seen to it that it is one of both, or nothing. */
export interface Presented {
  readonly authorization: string | undefined;
  /** the text of a browser's session */
  readonly cookie: string | undefined;
}

/** What each request presents; only the guard writes it. */
const PRESENTED = new WeakMap<FastifyRequest, Presented>();
const NOTHING: Presented = { authorization: undefined, cookie: undefined };

export function rememberPresented(request: FastifyRequest, presented: Presented): void {
  PRESENTED.set(request, presented);
}

/** Nothing for requests that need no caller, and before the guard has run. */
export const presentedBy = (request: FastifyRequest): Presented => PRESENTED.get(request) ?? NOTHING;

/** The caller of each request; only the guard writes it. */
const CALLERS = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  CALLERS.set(request, caller);
}

/** Null for requests that need no tenant's key, and before the guard has run. */
export function callerOf(request: FastifyRequest): Caller | null {
  return CALLERS.get(request) ?? null;
}
