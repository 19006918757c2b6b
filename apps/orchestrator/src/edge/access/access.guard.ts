// SPDX-License-Identifier: Apache-2.0
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Fault, type Caller } from '@writ/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './authenticator.ts';
import { rememberCaller, rememberPresented } from './caller.ts';
import type { FullQueues } from './full-queues.ts';
import { rememberIdentified, type Identified } from './identified.ts';
import { defaultScopeFor, ProtectedResource, type Challenge } from './oauth/protected-resource.ts';
import { ScopeFault } from './oauth/token-callers.ts';
import { RateFault, rateHeaders, type RateLimit } from './rate-limit.ts';
import type { CachedTenantLimits } from './tenant-limits.ts';
import { verifyScope } from './scopes.ts';
import type { SessionCookie } from './sign-in/session-cookie.ts';
import { applyVersion } from '../versions/requested-version.ts';
import { ROLES, routeOf, type Role, type RouteRow } from '../requests/route.ts';

/**
 * Admits the callers that the route's row allows.
 * INVARIANT (deny by default): a handler without a row rejects every request.
 * INVARIANT (one credential): a request presents a key or token, or the session of a browser, and never both.
 */
export class AccessGuard implements CanActivate {
  readonly #authenticator: Authenticator;
  readonly #rate: RateLimit;
  readonly #queues: FullQueues;
  readonly #resource: ProtectedResource;
  readonly #tenants: Pick<CachedTenantLimits, 'isClosed'>;
  readonly #cookie: SessionCookie | null;

  /** @param cookie null: sessions of browsers are not accepted */
  constructor(
    authenticator: Authenticator,
    rate: RateLimit,
    queues: FullQueues,
    resource: ProtectedResource = new ProtectedResource(null),
    tenants: Pick<CachedTenantLimits, 'isClosed'> = { isClosed: () => false },
    cookie: SessionCookie | null = null,
  ) {
    this.#authenticator = authenticator;
    this.#rate = rate;
    this.#queues = queues;
    this.#resource = resource;
    this.#tenants = tenants;
    this.#cookie = cookie;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const row = routeOf(context);
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
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const roles = allowed === 'platform' ? [] : ROLES.filter((role) => allowed.includes(role));
    const { authorization } = request.headers;
    const cookie = this.#cookie?.presentedBy(request, path);
    rememberPresented(request, { authorization, cookie });
    try {
      if (cookie !== undefined) return await this.#identifyCookie(cookie, context, { roles, path });
      return await this.#authenticator.identifyFully(authorization, request.ip, { roles, path });
    } catch (error) {
      const challenge = challengeOf(error, roles);
      if (challenge !== null)
        void http
          .getResponse<FastifyReply>()
          .header('www-authenticate', this.#resource.bearerChallenge({ ...challenge, path }));
      throw error;
    }
  }

  async #identifyCookie(
    cookie: string,
    context: ExecutionContext,
    need: { readonly roles: readonly Role[]; readonly path: string },
  ): Promise<Identified> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.#cookie?.verifyOwnRequest(request, cookie);
    const { identified, session } = await this.#authenticator.identifyCookie(cookie, request.ip, need);
    const renewed = session === null ? null : (this.#cookie?.renewedBy(session) ?? null);
    if (renewed !== null) void http.getResponse<FastifyReply>().header('set-cookie', renewed);
    return identified;
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
