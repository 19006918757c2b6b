// SPDX-License-Identifier: Apache-2.0
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Fault } from '@writ/contract';
import type { Logger } from '@writ/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headersOf, RetryAfterFault, problemOf } from './problem.ts';
import { versionOf } from '../versions/requested-version.ts';
import { problemIn, versionHeaders } from '../versions/versions.ts';
import type { AllowedMethods } from './allowed-methods.ts';

/** Turns every error of a request into a problem response. A bug is logged here, once. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger: Logger;
  readonly #methods: AllowedMethods;

  constructor(logger: Logger, methods: AllowedMethods) {
    this.#logger = logger;
    this.#methods = methods;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const fault = faultOf(error, request, this.#methods);
    if (!(fault instanceof Fault) || fault.code === 'internal')
      this.#logger.error({ err: error, request_id: request.id }, 'unexpected error');
    else if (fault.status >= 500) this.#logger.warn({ err: fault, request_id: request.id }, 'a request failed');
    // A response that has begun can't become a problem: only closing the connection shows that it is incomplete.
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    sendProblem(reply, fault, request.id, this.#methods);
  }
}

const CONTENT_HEADERS = [
  'etag',
  'content-disposition',
  'content-length',
  'writ-file-kind',
  'writ-file-mode',
  'location',
];

/** Sends an error as a problem response. */
export function sendProblem(reply: FastifyReply, error: unknown, requestId: string, methods: AllowedMethods): void {
  const version = versionOf(reply.request);
  const problem = problemIn(version, problemOf(error, requestId));
  if (problem.code === 'request.method_not_allowed') reply.header('allow', methods(reply.request.url).join(', '));
  // Removes headers that a handler set for content that it then could not send.
  for (const name of CONTENT_HEADERS) void reply.removeHeader(name);
  // The guard knows which token the request needs.
  const challenge = reply.getHeader('www-authenticate');
  void reply
    .code(problem.status)
    .headers({
      ...versionHeaders(version),
      ...headersOf(problem),
      ...(challenge === undefined ? {} : { 'www-authenticate': String(challenge) }),
      ...(error instanceof RetryAfterFault ? { 'retry-after': String(error.afterS) } : {}),
    })
    .serializer((value: unknown) => value as string)
    .send(JSON.stringify(problem));
}

/** Converts errors of Nest and Fastify into faults. */
export function faultOf(
  error: unknown,
  request: Pick<FastifyRequest, 'url' | 'method'>,
  methods: AllowedMethods,
): unknown {
  if (error instanceof Fault) return ofQuery(error, request);
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown } | null)?.statusCode;
  const allowed = methods(request.url);
  // Fastify reads the body of a method that no route takes, and may complain about it first.
  if ((status === 400 || status === 415) && !isUrlError(error) && !allowed.includes(request.method))
    return noRoute(request, allowed, error);
  switch (status) {
    case 404:
      return noRoute(request, allowed, error);
    case 413:
      return new Fault('request.too_large', undefined, { cause: error });
    case 414:
      return new Fault('request.malformed', 'the URL is too long', { cause: error });
    case 415:
      return new Fault('request.unsupported_media_type', undefined, { cause: error });
    case 400:
      return new Fault(
        'request.malformed',
        isUrlError(error) ? 'the URL is not percent-encoded as it should be' : undefined,
        { cause: error },
      );
    default:
      return error;
  }
}

/**
 * A request that has no body has nothing but its query that its handler or the kernel can find malformed. Without a
 * query, its headers are.
 */
function ofQuery(fault: Fault, { method, url }: Pick<FastifyRequest, 'url' | 'method'>): Fault {
  if (fault.code !== 'request.malformed' || method !== 'GET' || !url.includes('?')) return fault;
  return new Fault('query.invalid', fault.detail, { cause: fault });
}

/** Longest path in an answer: it is the caller's. */
const PATH_MAX = 128;

/** The fault for a request that no route takes: the path has none, or none with the method. */
function noRoute(
  { url, method }: Pick<FastifyRequest, 'url' | 'method'>,
  allowed: readonly string[],
  cause: unknown,
): Fault {
  const path = url.split('?', 1)[0] ?? '';
  const shown = path.length > PATH_MAX ? `${path.slice(0, PATH_MAX)}…` : path;
  return allowed.length > 0
    ? new Fault(
        'request.method_not_allowed',
        `\`${shown}\` does not take \`${method}\`; it takes \`${allowed.join('`, `')}\``,
        { cause },
      )
    : new Fault('route.unknown', `there is no route \`${shown}\` here; \`/openapi.json\` lists all routes`, { cause });
}

function isUrlError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'FST_ERR_BAD_URL';
}
