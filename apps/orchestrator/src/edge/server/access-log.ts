// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Counter, Histogram, LabelsOf, Logger, Meter } from '@writ/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/caller.ts';

/** Paths that health checks request all the time; they are not logged. */
const QUIET = new Set(['/healthz', '/readyz']);

/** Counts and logs every request, without its body, its query or its key, and bounds how many are in progress. */
export class AccessLog {
  readonly #logger: Logger;
  readonly #requestsMax: number;
  readonly #seconds: Histogram<'http.server.request.duration'>;
  readonly #ofTenants: Counter<'writ.tenant.requests'>;
  /** by method */
  readonly #underWay = new Map<Method, number>();
  #count = 0;

  constructor(logger: Logger, meter: Meter, requestsMax: number) {
    this.#logger = logger;
    this.#requestsMax = requestsMax;
    this.#seconds = meter.histogram('http.server.request.duration');
    this.#ofTenants = meter.counter('writ.tenant.requests');
    meter.observe(['http.server.active_requests'], (observe) => {
      for (const [method, count] of this.#underWay)
        observe('http.server.active_requests', count, { 'http.request.method': method, 'url.scheme': 'http' });
    });
  }

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      this.#note(methodOf(request), 1);
      reply.raw.once('close', () => this.#ended(request, reply));
      // Responses hold keys and contents: no proxy may store one unless a route allows it.
      void reply.headers({
        'writ-request-id': request.id,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      done(this.#refusalOf(request));
    });
  }

  #note(method: Method, change: 1 | -1): void {
    this.#count += change;
    this.#underWay.set(method, (this.#underWay.get(method) ?? 0) + change);
  }

  #refusalOf(request: FastifyRequest): Error | undefined {
    if (this.#count > this.#requestsMax && !QUIET.has(request.url)) return new Fault('overloaded');
    // `%00` decodes to a NUL in an id, a path or a name, which Postgres rejects and C libraries treat as the end.
    return /%00/.test(request.url) ? new Fault('request.malformed', 'the URL holds a NUL character') : undefined;
  }

  #ended(request: FastifyRequest, reply: FastifyReply): void {
    this.#note(methodOf(request), -1);
    const route = request.routeOptions.url ?? 'unknown';
    const { statusCode: status } = reply;
    this.#seconds.record(reply.elapsedTime / 1_000, {
      'http.request.method': methodOf(request),
      'url.scheme': 'http',
      'http.route': route,
      'http.response.status_code': String(status),
    });
    if (QUIET.has(route)) return;
    const caller = callerOf(request);
    if (caller !== null) this.#ofTenants.add(1, { tenant: caller.tenant_id, class: classOf(status) });
    this.#logger.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        operation_id: reply.getHeader('writ-operation-id'),
        tenant_id: caller?.tenant_id,
        api_key_id: caller?.api_key_id,
        ...(reply.raw.writableFinished ? {} : { cut: true }),
      },
      'request',
    );
  }
}

type Method = LabelsOf<'http.server.request.duration'>['http.request.method'];
type StatusClass = LabelsOf<'writ.tenant.requests'>['class'];

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const CLASSES: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/** By OpenTelemetry's convention, a method that isn't in its list is `_OTHER`. */
const methodOf = ({ method }: FastifyRequest): Method => METHODS.find((each) => each === method) ?? '_OTHER';

/** The class of a status, such as `2xx`. An invalid status counts as `5xx`. */
const classOf = (status: number): StatusClass => CLASSES[Math.floor(status / 100) - 1] ?? '5xx';
