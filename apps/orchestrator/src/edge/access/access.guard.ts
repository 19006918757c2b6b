// SPDX-License-Identifier: Apache-2.0
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Fault } from '@writ/contract';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.ts';
import { rememberCaller } from './caller.ts';
import type { FullQueues } from './full-queues.ts';
import type { RateLimit } from './rate-limit.ts';
import { ROUTE, type Role, type RouteRow } from '../requests/route.ts';

/**
 * Admits the callers that the route's row allows.
 * INVARIANT (deny by default): a handler without a row rejects every request.
 */
export class AccessGuard implements CanActivate {
  readonly #authenticator: Authenticator;
  readonly #rate: RateLimit;
  readonly #queues: FullQueues;

  constructor(authenticator: Authenticator, rate: RateLimit, queues: FullQueues) {
    this.#authenticator = authenticator;
    this.#rate = rate;
    this.#queues = queues;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const row = Reflect.getMetadata(ROUTE, context.getHandler()) as RouteRow | undefined;
    if (row === undefined) throw new Fault('auth.role');
    if (row.allowed === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.#authenticator.identify(request.headers.authorization, request.ip);
    if (caller === 'platform') return allowOrThrow(row.allowed === 'platform' || row.allowed.includes('platform'));
    rememberCaller(request, caller);
    this.#rate.consume(caller.tenant_id);
    if (row.queued === true) this.#queues.verifyNotFull(caller.tenant_id);
    return allowOrThrow(row.allowed !== 'platform' && row.allowed.includes(caller.role as Role));
  }
}

function allowOrThrow(isAllowed: boolean): true {
  if (!isAllowed) throw new Fault('auth.role');
  return true;
}
