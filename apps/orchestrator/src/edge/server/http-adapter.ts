// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from '../problems/allowed-methods.ts';
import { headersOf, problemOf } from '../problems/problem.ts';
import { faultOf, sendProblem } from '../problems/problem.filter.ts';

/** A path of a workspace in percent-encoding, thrice its 4,096 bytes, as the last part of a URL. */
const PARAM_CHARACTERS_MAX = 12_288;
/** Longest that a request may take to arrive, in milliseconds: the largest archive over an ordinary line. */
const ARRIVAL_MS = 300_000;

/** Fastify as this API needs it: it parses no body by itself, and every error of its own is a problem of ours. */
export class HttpAdapter extends FastifyAdapter {
  /**
   * @param methods what a URL takes, for a request that comes with another method
   * @param trustedProxies addresses and CIDR blocks, with commas between. Throws on anything else.
   */
  constructor(methods: AllowedMethods, trustedProxies = '') {
    super({
      logger: false,
      trustProxy: trustedProxies === '' ? false : trustedProxies,
      genReqId: () => newId('request'),
      routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
      requestTimeout: ARRIVAL_MS,
      skipMiddie: true,
      // A request on an open connection is still answered while the server closes: as itself, not by a body of
      // Fastify's own.
      return503OnClosing: false,
      frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
        sendProblem(reply, faultOf(error, request, methods), String(request.id), methods),
      clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => refuseConnection(error, socket),
    });
    const fastify = this.getInstance();
    fastify.removeAllContentTypeParsers();
    // A body stays in its stream until the route is known, its caller let in and its limit therefore clear.
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
  }

  /** Nest would put its own JSON parser in the place of ours. */
  override registerParserMiddleware(): void {
    return;
  }
}

/** What isn't even HTTP gets its problem by hand: there is no request yet. */
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
