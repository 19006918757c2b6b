// SPDX-License-Identifier: Apache-2.0
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.ts';
import { rememberCaller } from './caller.ts';
import type { FullQueues } from './full-queues.ts';
import { defaultScopeFor, ProtectedResource, type Challenge } from './oauth/protected-resource.ts';
import { ScopeFault } from './oauth/token-callers.ts';
import type { RateLimit } from './rate-limit.ts';
import { ROLES, ROUTE, type Role, type RouteRow } from '../requests/route.ts';

/**
 * Admits the callers that the route's row allows.
 * INVARIANT (deny by default): a handler without a row rejects every request.
 */
export class AccessGuard implements CanActivate {
  readonly #authenticator: Authenticator;
  readonly #rate: RateLimit;
  readonly #queues: FullQueues;
  readonly #resource: ProtectedResource;

  constructor(
    authenticator: Authenticator,
    rate: RateLimit,
    queues: FullQueues,
    resource: ProtectedResource = new ProtectedResource(null),
  ) {
    this.#authenticator = authenticator;
    this.#rate = rate;
    this.#queues = queues;
    this.#resource = resource;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const row = Reflect.getMetadata(ROUTE, context.getHandler()) as RouteRow | undefined;
    if (row === undefined) throw new Fault('auth.role');
    if (row.allowed === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.#identify(context, row.allowed, row.path);
    if (caller === 'platform') return allowOrThrow(row.allowed === 'platform' || row.allowed.includes('platform'));
    rememberCaller(request, caller);
    this.#rate.consume(caller);
    if (row.queued === true) this.#queues.verifyNotFull(caller.tenant_id);
    return allowOrThrow(row.allowed !== 'platform' && row.allowed.includes(caller.role as Role));
  }

  /**
   * The row's path tells the resource that a token must be for, and not the text of the URL.
   * A refusal says which token the request needs (RFC 6750 §3, RFC 9728 §5.1).
   */
  async #identify(
    context: ExecutionContext,
    allowed: Exclude<RouteRow['allowed'], 'public'>,
    path: string,
  ): Promise<Caller | 'platform'> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const roles = allowed === 'platform' ? [] : ROLES.filter((role) => allowed.includes(role));
    try {
      return await this.#authenticator.identify(request.headers.authorization, request.ip, { roles, path });
    } catch (error) {
      const challenge = challengeOf(error, roles);
      if (challenge !== null)
        void context
          .switchToHttp()
          .getResponse<FastifyReply>()
          .header('www-authenticate', this.#resource.bearerChallenge({ ...challenge, path }));
      throw error;
    }
  }
}

function challengeOf(error: unknown, roles: readonly Role[]): Challenge | null {
  if (error instanceof ScopeFault) return { error: 'insufficient_scope', scopes: error.scopes };
  if (!(error instanceof Fault) || error.status !== 401) return null;
  return { ...(error.code === 'auth.missing' ? {} : { error: 'invalid_token' }), scopes: defaultScopeFor(roles) };
}

function allowOrThrow(isAllowed: boolean): true {
  if (!isAllowed) throw new Fault('auth.role');
  return true;
}
