// SPDX-License-Identifier: Apache-2.0
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { LIMITS } from '@writ/contract';
import { extractTrace } from '@writ/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { presentedBy, type Presented } from '../access/caller.ts';

/** The parts of a request and its response beside the body. */
export interface Exchange {
  /** the client's address, as trusted proxies report it */
  readonly address: string;
  /** what the request's caller was found by, to look again while the answer goes on */
  readonly presented: Presented;
  /** a header of the request; undefined where it is missing or repeated */
  header(name: string): string | undefined;
  setHeader(name: string, value: string): void;
  setStatus(status: number): void;
  /** Runs `fn` in the trace that the client began, if it did (W3C Trace Context). */
  withinTrace<T>(fn: () => T): T;
  /** aborts when the client goes away before it has its answer */
  readonly gone: AbortSignal;
}

/** Passes a handler the current exchange. */
export const InExchange = createParamDecorator((_data: unknown, context: ExecutionContext): Exchange =>
  exchangeOf(context.switchToHttp().getRequest<FastifyRequest>(), context.switchToHttp().getResponse<FastifyReply>()),
);

function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return {
    address: request.ip,
    presented: presentedBy(request),
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    setHeader: (name, value) => void reply.header(name, value),
    setStatus: (status) => void reply.code(status),
    withinTrace: (fn) => extractTrace(traceHeadersOf(request), fn),
    gone: gone.signal,
  };
}

/** A repeated header is ignored. */
function traceHeadersOf({ headers }: FastifyRequest): Record<string, string> {
  const names = ['traceparent', 'tracestate'];
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

/** Default wait in milliseconds: the usual timeout of HTTP libraries. */
const WAIT_MS = 30_000;

/**
 * How long a client wants to wait: `?wait=` in milliseconds, else `Prefer: wait=` in seconds (RFC 7240 §4.3). The
 * query's bound is its schema's; a preference is honoured as far as it goes.
 */
export function waitOf(query: number | undefined, prefer: string | undefined): number {
  if (query !== undefined) return query;
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(prefer ?? '') ?? [];
  return seconds === undefined ? WAIT_MS : Math.min(Number(seconds) * 1_000, LIMITS.waitMs.max);
}
