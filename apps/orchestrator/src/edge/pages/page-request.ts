// SPDX-License-Identifier: Apache-2.0
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { readForm } from '../requests/form.ts';

/** The forms of pages have two short fields. */
const FORM_BYTES_MAX = 4_096;

/** A request of a browser for a page. All of it is attacker-controlled. */
export interface PageRequest {
  /** the client's address, as trusted proxies report it */
  readonly address: string;
  /** other sides add parameters of their own, which are ignored */
  readonly query: URLSearchParams;
  readonly param: (name: string) => string;
  readonly header: (name: string) => string | undefined;
  readonly cookie: (name: string) => string | undefined;
  /** Reads the fields of a form. Faults: `request.unsupported_media_type`, `request.too_large`, `request.malformed`. */
  readonly form: () => Promise<URLSearchParams>;
}

/** Browsers send `Origin` with every form; one of another origin comes from another site. @param url the public URL */
export const isOwnOrigin = (request: Pick<PageRequest, 'header'>, url: string): boolean =>
  request.header('origin') === new URL(url).origin;

/** Passes a handler the request for its page. */
export const InPage = createParamDecorator((_data: unknown, context: ExecutionContext): PageRequest =>
  pageRequestOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

function pageRequestOf(request: FastifyRequest): PageRequest {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const cookies = parseCookie(header('cookie') ?? '');
  const at = request.url.indexOf('?');
  return {
    address: request.ip,
    query: new URLSearchParams(at === -1 ? '' : request.url.slice(at + 1)),
    param: (name) => (request.params as Readonly<Record<string, string | undefined>>)[name] ?? '',
    header,
    cookie: (name) => cookies[name],
    form: () => readForm(request, FORM_BYTES_MAX),
  };
}
