// SPDX-License-Identifier: Apache-2.0
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { inSlices } from '@writ/worker-pool';
import type { FastifyReply } from 'fastify';
import { from, mergeMap, type Observable } from 'rxjs';

/** A list with more items is written in slices of time. One of twenty thousand changes takes tens of milliseconds. */
const ITEMS_MAX = 4;

/**
 * Serializes responses with long lists in slices that yield to the event loop, so that they don't delay other requests.
 */
export class LongResponses implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(mergeMap((answer) => from(written(answer, reply))));
  }
}

async function written(answer: unknown, reply: FastifyReply): Promise<unknown> {
  if (!isLong(answer)) return answer;
  const text = await jsonInSlices(answer);
  void reply.header('content-type', 'application/json; charset=utf-8');
  return text;
}

type Answer = Readonly<Record<string, unknown>>;

/** Whether the response is a plain object with a long list; streams and bytes are not. */
function isLong(answer: unknown): answer is Answer {
  if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype) return false;
  return Object.values(answer).some((member) => Array.isArray(member) && member.length > ITEMS_MAX);
}

/** Produces the output of JSON.stringify for an object, with its lists serialized item by item. */
export async function jsonInSlices(answer: Answer): Promise<string> {
  const members: string[] = [];
  for (const [name, member] of Object.entries(answer)) {
    const text = Array.isArray(member) ? await listInSlices(member) : JSON.stringify(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

async function listInSlices(list: readonly unknown[]): Promise<string> {
  const items: string[] = [];
  for await (const item of inSlices(list)) items.push(JSON.stringify(item) ?? 'null');
  return `[${items.join(',')}]`;
}
