// SPDX-License-Identifier: Apache-2.0
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { entityTag } from '@writ/digest';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { isNamedIn } from '../requests/conditions.ts';
import { routeOf, type RouteRow } from '../requests/route.ts';

/**
 * Gives what a route shows its `ETag`, also what a change left, and answers 304 to a client that has it. A handler that
 * knows the tag otherwise sets it.
 */
export class EntityTags implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const row = routeOf(context);
    if (row?.tagged !== 'view') return next.handle();
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    return next.handle().pipe(map((answer) => tagged(row, answer, request, reply)));
  }
}

/** What was removed has no tag. */
function tagged({ method }: RouteRow, answer: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  if (method === 'DELETE') return answer;
  // An answer with expansions is another one than the state that changes are compared with.
  if ((request.query as { readonly expand?: unknown }).expand !== undefined) return answer;
  const etag = reply.hasHeader('etag') ? String(reply.getHeader('etag')) : `"${entityTag(answer)}"`;
  void reply.headers({ etag, 'cache-control': 'private, no-cache' });
  if (method !== 'GET' || !isNamedIn(request.headers['if-none-match'], etag)) return answer;
  void reply.code(304);
  return undefined;
}
