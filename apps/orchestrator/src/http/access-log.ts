// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Logger, Meter } from '@writ/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './caller.ts';

/** Paths that whatever watches the process asks all day. */
const QUIET = new Set(['/healthz', '/readyz']);

/** Counts and tells of every request, without its body, its query or its key; bounds how many are under way. */
export class AccessLog {
  readonly #logger: Logger;
  readonly #requestsMax: number;
  readonly #seconds: ReturnType<Meter['createHistogram']>;
  #underWay = 0;

  constructor(logger: Logger, meter: Meter, requestsMax: number) {
    this.#logger = logger;
    this.#requestsMax = requestsMax;
    this.#seconds = meter.createHistogram('writ_http_seconds', { description: 'time from a request\'s arrival to the end of its answer' });
    meter.createObservableGauge('writ_http_requests', { description: 'requests under way' }).addCallback((result) => result.observe(this.#underWay));
  }

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      this.#underWay += 1;
      reply.raw.once('close', () => this.#ended(request, reply));
      // Answers hold keys and contents: nothing between here and the client may keep one unless a route says otherwise.
      void reply.headers({ 'writ-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      done(this.#refusalOf(request));
    });
  }

  #refusalOf(request: FastifyRequest): Error | undefined {
    if (this.#underWay > this.#requestsMax && !QUIET.has(request.url)) return new Fault('overloaded');
    // Decoded it would be a NUL in an id, a path or a name: Postgres and every C library read it as the end.
    return /%00/.test(request.url) ? new Fault('request.malformed', 'the URL holds a NUL character') : undefined;
  }

  #ended(request: FastifyRequest, reply: FastifyReply): void {
    this.#underWay -= 1;
    const route = request.routeOptions.url ?? 'unknown';
    const { statusCode: status } = reply;
    this.#seconds.record(reply.elapsedTime / 1_000, { method: request.method, route, status });
    if (QUIET.has(route)) return;
    const caller = callerOf(request);
    this.#logger.info({
      request_id: request.id, method: request.method, route, status, ms: Math.round(reply.elapsedTime * 10) / 10,
      operation_id: reply.getHeader('writ-operation-id'), tenant_id: caller?.tenant_id, api_key_id: caller?.api_key_id,
      ...(reply.raw.writableFinished ? {} : { cut: true }),
    }, 'request');
  }
}
