// SPDX-License-Identifier: Apache-2.0
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';
import { callerOf } from '../access/caller.ts';
import { identifiedOf } from '../access/identified.ts';
import type { RateLimit } from '../access/rate-limit.ts';
import { routeOf, type RouteRow } from '../requests/route.ts';
import { askedExpansions, expanded, verifyExpansions, type ExpansionSource } from './expansions.ts';

/** What expansions are made from. */
export interface ExpansionParts {
  readonly rows: readonly RouteRow[];
  /** by the id of the route that shows the same */
  readonly sources: Readonly<Record<string, ExpansionSource>>;
  readonly rate: Pick<RateLimit, 'charge'>;
}

/**
 * Adds to answers what their requests expand. A request that expands what its caller may not see fails before it is
 * handled.
 */
export class ExpandAnswers implements NestInterceptor {
  readonly #parts: ExpansionParts;

  constructor(parts: ExpansionParts) {
    this.#parts = parts;
  }

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const row = routeOf(context);
    if (row?.expands === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const asked = askedExpansions(row, request.query);
    const caller = callerOf(request);
    if (asked === null || caller === null) return next.handle();
    verifyExpansions(asked, identifiedOf(request), (id) => this.#rowOf(id));
    const { sources, rate } = this.#parts;
    return next.handle().pipe(
      mergeMap((answer) =>
        from(
          expanded(
            answer,
            asked,
            async (route, params) => await sources[route]?.(caller, params),
            (requests) => rate.charge(caller, requests),
          ),
        ),
      ),
    );
  }

  #rowOf(id: string): RouteRow {
    const row = this.#parts.rows.find((each) => each.id === id);
    if (row === undefined || this.#parts.sources[id] === undefined)
      throw new Error(`an expansion names \`${id}\`, which is no route with a source`);
    return row;
  }
}
