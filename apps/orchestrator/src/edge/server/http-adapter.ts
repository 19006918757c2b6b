// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from '../problems/allowed-methods.ts';
import { headersOf, problemOf } from '../problems/problem.ts';
import { faultOf, sendProblem } from '../problems/problem.filter.ts';

/** Longest workspace path in a URL: percent-encoding triples its 4,096 bytes. */
const PARAM_CHARACTERS_MAX = 12_288;
/**
 * Longest time for a request to arrive, in milliseconds: enough for the largest archive over an ordinary connection.
 */
const ARRIVAL_MS = 300_000;

/** Fastify, configured for this API: it parses no bodies, and its errors become problem responses. */
export class HttpAdapter extends FastifyAdapter {
  /**
   * @param methods the methods that a URL supports, for requests with another method
   * @param isConcrete whether a URL is the concrete path of a route
   * @param trustedProxies addresses and CIDR blocks, with commas between. Throws on anything else.
   */
  constructor(methods: AllowedMethods, trustedProxies = '', isConcrete: (url: string) => boolean = () => false) {
    super({
      logger: false,
      trustProxy: trustedProxies === '' ? false : trustedProxies,
      genReqId: () => newId('request'),
      routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
      requestTimeout: ARRIVAL_MS,
      skipMiddie: true,
      // Requests on open connections are still answered normally while the server closes, instead of with Fastify's
      // 503.
      return503OnClosing: false,
      frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
        sendProblem(reply, faultOf(error, request, methods), String(request.id), methods),
      clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuseConnection(error, socket),
    });
    const fastify = this.getInstance();
    // The router takes a concrete path that lacks the method for a value of a parameter.
    fastify.addHook('onRequest', (request, reply, done) => {
      const { url = '' } = request.routeOptions;
      if (/[:*]/.test(url) && isConcrete(request.url) && !methods(request.url).includes(request.method))
        sendProblem(reply, faultOf({ statusCode: 404 }, request, methods), String(request.id), methods);
      else done();
    });
    fastify.removeAllContentTypeParsers();
    // A body stays in its stream until the route, and so its size limit, is known and its caller is admitted.
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  }

  /** Nest would install its own JSON parser. */
  override registerParserMiddleware(): void {
    return;
  }
}

/** Writes the problem response for bytes that aren't HTTP directly to the socket, because no request exists yet. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(faultOfConnection(error), newId('request'));
  const body = JSON.stringify(problem);
  const headers = { ...headersOf(problem), 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  socket.end(
    `HTTP/1.1 ${problem.status} Refused\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`,
  );
}

function faultOfConnection(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Fault('request.too_large', 'the headers are larger than allowed');
  return new Fault(
    'request.malformed',
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'the request took too long to arrive' : 'the request is not HTTP',
  );
}
