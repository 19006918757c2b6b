// SPDX-License-Identifier: Apache-2.0
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.ts';
import { rememberCaller } from './caller.ts';
import type { FullQueues } from './full-queues.ts';
import { rememberIdentified, type Identified } from './identified.ts';
import { defaultScopeFor, ProtectedResource, type Challenge } from './oauth/protected-resource.ts';
import { ScopeFault } from './oauth/token-callers.ts';
import { RateFault, rateHeaders, type RateLimit } from './rate-limit.ts';
import type { CachedTenantLimits } from './tenant-limits.ts';
import { verifyScope } from './scopes.ts';
import { applyVersion } from '../versions/requested-version.ts';
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
  readonly #tenants: Pick<CachedTenantLimits, 'isClosed'>;

  constructor(
    authenticator: Authenticator,
    rate: RateLimit,
    queues: FullQueues,
    resource: ProtectedResource = new ProtectedResource(null),
    tenants: Pick<CachedTenantLimits, 'isClosed'> = { isClosed: () => false },
  ) {
    this.#authenticator = authenticator;
    this.#rate = rate;
    this.#queues = queues;
    this.#resource = resource;
    this.#tenants = tenants;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const row = Reflect.getMetadata(ROUTE, context.getHandler()) as RouteRow | undefined;
    if (row === undefined) throw new Fault('auth.role');
    const http = context.switchToHttp();
    applyVersion(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    if (row.allowed === 'public') return true;
    const request = http.getRequest<FastifyRequest>();
    const identified = await this.#identify(context, row, row.allowed);
    if (identified === 'platform') return allowOrThrow(row.allowed === 'platform' || row.allowed.includes('platform'));
    const { caller } = identified;
    // Its keys are revoked, too. This holds for every kind of credential, also for one that was made at that moment.
    if (this.#tenants.isClosed(caller.tenant_id)) throw new Fault('tenant.closed');
    rememberCaller(request, caller);
    rememberIdentified(request, identified);
    this.#consume(caller, http.getResponse<FastifyReply>());
    if (row.queued === true) this.#queues.verifyNotFull(caller.tenant_id);
    allowOrThrow(row.allowed !== 'platform' && row.allowed.includes(caller.role as Role));
    verifyScope(identified, row);
    return true;
  }

  /** Every answer of the caller says what is left of its rates, also the refusal of this request. */
  #consume(caller: Caller, reply: FastifyReply): void {
    try {
      void reply.headers(rateHeaders(this.#rate.consume(caller)));
    } catch (error) {
      if (error instanceof RateFault) void reply.headers(rateHeaders(error.left));
      throw error;
    }
  }

  /**
   * The row's path tells the resource that a token must be for, and not the text of the URL.
   * A refusal says which token the request needs (RFC 6750 §3, RFC 9728 §5.1).
   */
  async #identify(
    context: ExecutionContext,
    row: RouteRow,
    allowed: Exclude<RouteRow['allowed'], 'public'>,
  ): Promise<Identified | 'platform'> {
    const { path } = row;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const roles = allowed === 'platform' ? [] : ROLES.filter((role) => allowed.includes(role));
    try {
      return await this.#authenticator.identifyFully(request.headers.authorization, request.ip, { roles, path });
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
